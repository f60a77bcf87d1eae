"""LangChain: its chat models for OpenAI (both forms), Anthropic and Google, each with models of all four formats."""
from kit import *
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

WIRES = {
    "openai": lambda model, key=KEY: ChatOpenAI(model=model, base_url=OPENAI_URL, api_key=key, max_retries=0, stream_usage=True),
    "responses": lambda model, key=KEY: ChatOpenAI(
        model=model, base_url=OPENAI_URL, api_key=key, max_retries=0, use_responses_api=True
    ),
    "anthropic": lambda model, key=KEY: ChatAnthropic(model=model, base_url=URL, api_key=key, max_retries=0, max_tokens=500),
    "google": lambda model, key=KEY: ChatGoogleGenerativeAI(model=model, base_url=URL, google_api_key=key, max_retries=1),
}


@tool
def get_weather(city: str) -> str:
    """Weather of a city."""
    return f"21 degrees in {city}"


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


def plain(wire, model):
    answer = WIRES[wire](model).invoke(HELLO)
    check_said(answer.text)
    check(answer.usage_metadata["total_tokens"] > 0, answer)


def streamed(wire, model):
    whole = None
    for chunk in WIRES[wire](model).stream(HELLO):
        whole = chunk if whole is None else whole + chunk
    check_said(whole.text)
    check(whole.usage_metadata and whole.usage_metadata["total_tokens"] > 0, whole)


async def asynchronous(wire, model):
    text = ""
    async for chunk in WIRES[wire](model).astream(HELLO):
        text += chunk.text
    check_said(text)


def tools(wire, model):
    able = WIRES[wire](model).bind_tools([get_weather])
    turns = [HumanMessage(WEATHER)]
    turns.append(able.invoke(turns))
    check(len(turns[1].tool_calls) == 1 and "city" in turns[1].tool_calls[0]["args"], turns[1])
    turns.append(get_weather.invoke(turns[1].tool_calls[0]))
    check(isinstance(turns[2], ToolMessage), turns[2])
    check_said(able.invoke(turns).text, "21 degrees")


def tools_streamed(wire, model):
    whole = None
    for chunk in WIRES[wire](model).bind_tools([get_weather]).stream(WEATHER):
        whole = chunk if whole is None else whole + chunk
    check(len(whole.tool_calls) == 1 and "city" in whole.tool_calls[0]["args"], whole)


def structured(wire, model):
    method = "json_schema"
    answer = WIRES[wire](model).with_structured_output(Person, method=method).invoke("Who is it?")
    check(isinstance(answer, Person), answer)


def structured_by_tool(wire, model):
    answer = WIRES[wire](model).with_structured_output(Person, method="function_calling").invoke("Who is it?")
    check(isinstance(answer, Person), answer)


def history(wire, model):
    turns = [SystemMessage("Be brief"), HumanMessage("My name is Ada"), AIMessage("Hello Ada"), HumanMessage(HELLO)]
    check_said(WIRES[wire](model).invoke(turns).text, HELLO, "Be brief", "Turns so far: 3.")


def picture(wire, model):
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image", "base64": PNG, "mime_type": "image/png"},
    ]
    check_said(WIRES[wire](model).invoke([HumanMessage(parts)]).text, "Images seen: 1.")


def wrong_key(wire, model):
    error = check_raises(lambda: WIRES[wire](model, WRONG_KEY).invoke(HELLO), Exception)
    told = f"{type(error).__name__} {error}"
    check("Authentication" in told or "UNAUTHENTICATED" in told or "401" in told, told)


for wire in WIRES:
    each(f"{wire}: plain", plain, wire, rest=True)
    each(f"{wire}: streamed", streamed, wire)
    each(f"{wire}: asynchronous", asynchronous, wire)
    each(f"{wire}: tools", tools, wire)
    each(f"{wire}: tools streamed", tools_streamed, wire)
    each(f"{wire}: structured", structured, wire)
    each(f"{wire}: structured by tool", structured_by_tool, wire)
    each(f"{wire}: history", history, wire)
    each(f"{wire}: picture", picture, wire)
    each(f"{wire}: wrong key", wrong_key, wire)
run("langchain", "langchain-openai", "langchain-anthropic", "langchain-google-genai")
