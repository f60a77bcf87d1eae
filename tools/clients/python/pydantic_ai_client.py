"""pydantic-ai: agents on its OpenAI (both forms), Anthropic and Google models, each with models of all four formats."""
import base64

from kit import *
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.output import NativeOutput
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider


def openai_of(key):
    return OpenAIProvider(base_url=OPENAI_URL, api_key=key)


WIRES = {
    "openai": lambda model, key=KEY: OpenAIChatModel(model, provider=openai_of(key)),
    "responses": lambda model, key=KEY: OpenAIResponsesModel(model, provider=openai_of(key)),
    "anthropic": lambda model, key=KEY: AnthropicModel(model, provider=AnthropicProvider(base_url=URL, api_key=key)),
    "google": lambda model, key=KEY: GoogleModel(model, provider=GoogleProvider(base_url=URL, api_key=key)),
}


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


async def plain(wire, model):
    result = await Agent(WIRES[wire](model)).run(HELLO)
    check_said(result.output)


async def streamed(wire, model):
    async with Agent(WIRES[wire](model)).run_stream(HELLO) as result:
        text = "".join([part async for part in result.stream_text(delta=True)])
    check_said(text)


async def tools(wire, model):
    agent = Agent(WIRES[wire](model))

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Weather of a city."""
        return f"21 degrees in {city}"

    check_said((await agent.run(WEATHER)).output, "21 degrees")


async def tools_streamed(wire, model):
    agent = Agent(WIRES[wire](model))

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """Weather of a city."""
        return f"21 degrees in {city}"

    async with agent.run_stream(WEATHER) as result:
        check_said(await result.get_output(), "21 degrees")


async def structured(wire, model):
    result = await Agent(WIRES[wire](model), output_type=Person).run("Who is it?")
    check(isinstance(result.output, Person), result)


async def structured_natively(wire, model):
    result = await Agent(WIRES[wire](model), output_type=NativeOutput(Person)).run("Who is it?")
    check(isinstance(result.output, Person), result)


async def history(wire, model):
    agent = Agent(WIRES[wire](model), instructions="Be brief")
    first = await agent.run("My name is Ada")
    second = await agent.run(HELLO, message_history=first.all_messages())
    check_said(second.output, HELLO, "Be brief", "Turns so far: 3.")


async def picture(wire, model):
    content = BinaryContent(data=base64.b64decode(PNG), media_type="image/png")
    result = await Agent(WIRES[wire](model)).run(["What is this?", content])
    check_said(result.output, "Images seen: 1.")


async def wrong_key(wire, model):
    try:
        await Agent(WIRES[wire](model, WRONG_KEY), retries=0).run(HELLO)
    except ModelHTTPError as error:
        check_status(error, error.status_code, 401)
        return
    raise AssertionError("raised nothing")


for wire in WIRES:
    each(f"{wire}: plain", plain, wire, rest=True)
    each(f"{wire}: streamed", streamed, wire)
    each(f"{wire}: tools", tools, wire)
    each(f"{wire}: tools streamed", tools_streamed, wire)
    each(f"{wire}: structured by tool", structured, wire)
    each(f"{wire}: structured natively", structured_natively, wire)
    each(f"{wire}: history", history, wire)
    each(f"{wire}: picture", picture, wire)
    each(f"{wire}: wrong key", wrong_key, wire)
run("pydantic-ai", "pydantic-ai-slim")
