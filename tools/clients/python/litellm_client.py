"""LiteLLM: its OpenAI, Anthropic and Gemini providers, each with models of all four formats."""
import json
import os

# Else it fetches lists of prices and of headers while it is imported.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
import litellm
from kit import *
from pydantic import BaseModel

litellm.telemetry = False
litellm.num_retries = 0
WIRES = {
    "openai": {"custom_llm_provider": "openai", "api_base": OPENAI_URL},
    "anthropic": {"custom_llm_provider": "anthropic", "api_base": URL},
    "gemini": {"custom_llm_provider": "gemini", "api_base": f"{URL}/v1beta"},
}
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "Weather of a city", "parameters": WEATHER_SCHEMA}}


class Person(BaseModel):
    name: str
    age: int


def user(text):
    return [{"role": "user", "content": text}]


def complete(wire, model, text=HELLO, **named):
    return litellm.completion(**{"model": model, "messages": user(text), "api_key": KEY, "max_tokens": 500, **WIRES[wire], **named})


def plain(wire, model):
    answer = complete(wire, model)
    check_said(answer.choices[0].message.content)
    check(answer.choices[0].finish_reason == "stop" and answer.usage.total_tokens > 0, answer)


def streamed(wire, model):
    chunks = list(complete(wire, model, stream=True))
    check_said("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices))
    whole = litellm.stream_chunk_builder(chunks)
    check(whole.choices[0].finish_reason == "stop", whole)


async def asynchronous(wire, model):
    named = {"model": model, "messages": user(HELLO), "api_key": KEY, "stream": True, **WIRES[wire]}
    text = ""
    async for chunk in await litellm.acompletion(**named):
        text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    check_said(text)


def tools(wire, model):
    first = complete(wire, model, WEATHER, tools=[TOOL])
    message = first.choices[0].message
    check(first.choices[0].finish_reason == "tool_calls" and len(message.tool_calls) == 1, first)
    call = message.tool_calls[0]
    check("city" in json.loads(call.function.arguments), call)
    turns = [*user(WEATHER), message, {"role": "tool", "tool_call_id": call.id, "content": "21 degrees"}]
    check_said(complete(wire, model, messages=turns, tools=[TOOL]).choices[0].message.content, "21 degrees")


def tools_streamed(wire, model):
    chunks = list(complete(wire, model, WEATHER, tools=[TOOL], stream=True))
    calls = litellm.stream_chunk_builder(chunks).choices[0].message.tool_calls
    check(calls and len(calls) == 1 and "city" in json.loads(calls[0].function.arguments), calls)


def structured(wire, model):
    Person.model_validate_json(complete(wire, model, "Who is it?", response_format=Person).choices[0].message.content)


def history(wire, model):
    turns = [
        {"role": "system", "content": "Be brief"},
        *user("My name is Ada"),
        {"role": "assistant", "content": "Hello Ada"},
        *user(HELLO),
    ]
    check_said(complete(wire, model, messages=turns).choices[0].message.content, HELLO, "Be brief", "Turns so far: 3.")


def wrong_key(wire, model):
    check_raises(lambda: complete(wire, model, api_key=WRONG_KEY), litellm.AuthenticationError)


def unknown_model(wire):
    check_raises(lambda: complete(wire, UNKNOWN_MODEL), litellm.NotFoundError, litellm.BadRequestError)


def rate_limited(wire, model):
    # Where 503 is the status the endpoint has for it, that is what it has to be here as well.
    check_raises(
        lambda: complete(wire, model, "[[twin:429=1]]"), litellm.RateLimitError, litellm.ServiceUnavailableError
    )


def responses(model):
    answer = litellm.responses(model=model, input=HELLO, api_key=KEY, custom_llm_provider="openai", api_base=OPENAI_URL)
    message = next(item for item in answer.output if item.type == "message")
    check_said(message.content[0].text)


for wire in WIRES:
    each(f"{wire}: plain", plain, wire, rest=True)
    each(f"{wire}: streamed", streamed, wire)
    each(f"{wire}: asynchronous", asynchronous, wire)
    each(f"{wire}: tools", tools, wire)
    each(f"{wire}: tools streamed", tools_streamed, wire)
    each(f"{wire}: structured", structured, wire)
    each(f"{wire}: history", history, wire)
    each(f"{wire}: wrong key", wrong_key, wire)
    case(f"{wire}: unknown model", unknown_model, wire)
    each_faulty(f"{wire}: 429", rate_limited, wire)
each("responses: plain", responses, rest=True)
run("litellm", "litellm")
