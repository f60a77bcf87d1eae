"""LlamaIndex: its model for servers with OpenAI's wire."""
from kit import *
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike
from pydantic import BaseModel


def llm(model, key=KEY):
    return OpenAILike(
        model=model, api_base=OPENAI_URL, api_key=key, is_chat_model=True, is_function_calling_model=True, max_retries=0
    )


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


def get_weather(city: str) -> str:
    """Weather of a city."""
    return f"21 degrees in {city}"


def plain(model):
    check_said(llm(model).complete(HELLO).text)


def streamed(model):
    check_said("".join(part.delta or "" for part in llm(model).stream_chat([ChatMessage(role="user", content=HELLO)])))


async def asynchronous(model):
    parts = await llm(model).astream_chat([ChatMessage(role="user", content=HELLO)])
    check_said("".join([part.delta or "" async for part in parts]))


def tools(model):
    answer = llm(model).predict_and_call([FunctionTool.from_defaults(get_weather)], user_msg=WEATHER)
    check_said(str(answer), "21 degrees")


def tools_streamed(model):
    last = None
    for part in llm(model).stream_chat_with_tools([FunctionTool.from_defaults(get_weather)], user_msg=WEATHER):
        last = part
    calls = llm(model).get_tool_calls_from_response(last)
    check(len(calls) == 1 and "city" in calls[0].tool_kwargs, calls)


def structured(model):
    answer = llm(model).as_structured_llm(Person).complete("Who is it?")
    check(isinstance(answer.raw, Person), answer)


def wrong_key(model):
    error = check_raises(lambda: llm(model, WRONG_KEY).complete(HELLO), Exception)
    check("401" in str(error), error)


each("plain", plain, rest=True)
each("streamed", streamed)
each("asynchronous", asynchronous)
each("tools", tools)
each("tools streamed", tools_streamed)
each("structured", structured)
each("wrong key", wrong_key)
run("llama-index", "llama-index-llms-openai-like")
