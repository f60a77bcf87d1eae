"""OpenAI's Agents SDK: agents on chat completions and on responses, with tools, structured output, hand-overs, streamed runs."""
from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from kit import *
from openai import AsyncOpenAI
from pydantic import BaseModel

set_tracing_disabled(True)
WIRES = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}


class Person(BaseModel):
    name: str
    age: int


@function_tool
def get_weather(city: str) -> str:
    """Weather of a city."""
    return f"21 degrees in {city}"


def agent_of(wire, model, **named):
    client = AsyncOpenAI(base_url=OPENAI_URL, api_key=KEY, max_retries=0)
    return Agent(name="Ada", instructions="Be brief", model=WIRES[wire](model, client), model_settings=ModelSettings(include_usage=True), **named)


async def plain(wire, model):
    check_said((await Runner.run(agent_of(wire, model), HELLO)).final_output, HELLO, "Be brief")


async def streamed(wire, model):
    result = Runner.run_streamed(agent_of(wire, model), HELLO)
    events = [event async for event in result.stream_events()]
    check_said(result.final_output)
    check(len(events) > 3, events)


async def tools(wire, model):
    check_said((await Runner.run(agent_of(wire, model, tools=[get_weather]), WEATHER)).final_output, "21 degrees")


async def tools_streamed(wire, model):
    result = Runner.run_streamed(agent_of(wire, model, tools=[get_weather]), WEATHER)
    async for _ in result.stream_events():
        pass
    check_said(result.final_output, "21 degrees")


async def structured(wire, model):
    result = await Runner.run(agent_of(wire, model, output_type=Person), "Who is it?")
    check(isinstance(result.final_output, Person), result)


async def several_turns(wire, model):
    agent = agent_of(wire, model)
    first = await Runner.run(agent, "My name is Ada")
    second = await Runner.run(agent, [*first.to_input_list(), {"role": "user", "content": HELLO}])
    check_said(second.final_output, HELLO, "Turns so far: 3.")


async def handed_over(wire, model):
    other = agent_of(wire, model, handoff_description="Knows the weather")
    other.name = "Weatherman"
    agent = agent_of(wire, model, handoffs=[other])
    result = await Runner.run(agent, f"{HELLO} [[twin:tool]]")
    check(result.last_agent.name == "Weatherman", result.last_agent.name)


for wire in WIRES:
    each(f"{wire}: plain", plain, wire, rest=True)
    each(f"{wire}: streamed", streamed, wire)
    each(f"{wire}: tools", tools, wire)
    each(f"{wire}: tools streamed", tools_streamed, wire)
    each(f"{wire}: structured", structured, wire)
    each(f"{wire}: several turns", several_turns, wire)
    each(f"{wire}: handed over", handed_over, wire)
run("openai-agents", "openai-agents")
