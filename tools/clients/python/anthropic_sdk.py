"""Anthropic's SDK: messages plain and streamed, tools and its tool runner, structured output, counting, models."""
import json
import re
import urllib.request

import anthropic
from anthropic import beta_tool
from kit import *
from pydantic import BaseModel

client = anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0, _strict_response_validation=True, timeout=35)
TOOL = {"name": "get_weather", "description": "Weather of a city", "input_schema": WEATHER_SCHEMA}


class Person(BaseModel):
    name: str
    age: int


def user(text):
    return [{"role": "user", "content": text}]


def create(at=client, **named):
    return at.messages.create(**{"max_tokens": 500, "messages": user(HELLO), **named})


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def plain(model):
    message = create(model=model)
    check_said(text_of(message))
    check(message.stop_reason == "end_turn" and message.usage.output_tokens > 0, message)


def order(model):
    """The answer is the last block: what was thought before it stands before it."""
    kinds = [block.type for block in create(model=model).content]
    check(kinds[-1] == "text", kinds)


def streamed(model):
    with client.messages.stream(model=model, max_tokens=500, messages=user(HELLO)) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    check_said(text)
    check(text == text_of(final) and final.stop_reason == "end_turn" and final.usage.output_tokens > 0, final)


def raw_streamed(model):
    kinds = [event.type for event in create(model=model, stream=True)]
    check(kinds[0] == "message_start" and kinds[-1] == "message_stop", kinds)


def tools(model):
    first = create(model=model, messages=user(WEATHER), tools=[TOOL])
    calls = [block for block in first.content if block.type == "tool_use"]
    check(first.stop_reason == "tool_use" and len(calls) == 1 and "city" in calls[0].input, first)
    result = {"type": "tool_result", "tool_use_id": calls[0].id, "content": "21 degrees"}
    history = [*user(WEATHER), {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    check_said(text_of(create(model=model, messages=history, tools=[TOOL])), "21 degrees")


def tools_streamed(model):
    with client.messages.stream(model=model, max_tokens=500, messages=user(WEATHER), tools=[TOOL]) as stream:
        final = stream.get_final_message()
    calls = [block for block in final.content if block.type == "tool_use"]
    check(len(calls) == 1 and "city" in calls[0].input, final)


def tool_runner(model):
    """Asks, runs the tool, asks again with what it gave: nothing said before may be lost on the way."""
    asked = []

    @beta_tool
    def get_weather(city: str) -> str:
        """Weather of a city."""
        asked.append(city)
        return "21 degrees"

    runner = client.beta.messages.tool_runner(model=model, max_tokens=500, messages=user(WEATHER), tools=[get_weather])
    final = runner.until_done()
    check(len(asked) == 1, f"the tool was asked {len(asked)} times")
    check_said(text_of(final), "What is the weather in Paris?", "21 degrees", "Turns so far: 3.")


def tool_runner_streamed(model):
    @beta_tool
    def get_weather(city: str) -> str:
        """Weather of a city."""
        return "21 degrees"

    runner = client.beta.messages.tool_runner(
        model=model, max_tokens=500, messages=user(WEATHER), tools=[get_weather], stream=True
    )
    finals = []
    for stream in runner:
        for _ in stream:
            pass
        finals.append(stream.get_final_message())
    check_said(text_of(finals[-1]), "21 degrees", "Turns so far: 3.")


def structured(model):
    parsed = client.messages.parse(model=model, max_tokens=500, messages=user("Who is it?"), output_format=Person)
    check(isinstance(parsed.parsed_output, Person), parsed)


def history(model):
    turns = [*user("My name is Ada"), {"role": "assistant", "content": "Hello Ada"}, *user(HELLO)]
    check_said(text_of(create(model=model, system="Be brief", messages=turns)), HELLO, "Be brief", "Turns so far: 3.")


def picture(model):
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "What is this?"}]
    check_said(text_of(create(model=model, messages=[{"role": "user", "content": content}])), "Images seen: 1.")


def opened_picture(message):
    """A picture that the model made stands in the text by its link, which opens without a key."""
    text = text_of(message)
    check(len(text) < 2000, f"{len(text)} characters")
    links = re.findall(r"!\[[^\]]*\]\((https?://[^)]+)\)", text)
    check(len(links) == 1, text)
    with urllib.request.urlopen(links[0]) as reply:
        check(reply.headers["content-type"] == "image/png" and reply.read(8) == b"\x89PNG\r\n\x1a\n", links)


def picture_out():
    opened_picture(create(model=MODELS["imageChat"], messages=user("A lighthouse")))


def picture_out_streamed():
    with client.messages.stream(model=MODELS["imageChat"], max_tokens=500, messages=user("A lighthouse")) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    check(text == text_of(final), final)
    opened_picture(final)


def state(field, value):
    """Content kept by a vendor is refused where nobody has it; it is never dropped."""

    def asked(model):
        try:
            message = create(model=model, extra_body={field: value})
        except anthropic.APIStatusError as error:
            check(error.status_code in (400, 404) and field in str(error.body), f"{error.status_code} {error.body}")
            return
        raise AssertionError(f"{field} was dropped: {text_of(message)!r}")

    return asked


def count(model):
    check(client.messages.count_tokens(model=model, messages=user(HELLO)).input_tokens > 3, "too few")


def wrong_key(model):
    error = check_raises(lambda: create(client.with_options(api_key=WRONG_KEY), model=model), anthropic.AuthenticationError)
    agrees(error)


def request_id(model):
    """The SDK reads `request-id`, of answers and of refusals."""
    check(create(model=model)._request_id, "an answer has no request-id")
    error = check_raises(lambda: create(client.with_options(api_key=WRONG_KEY), model=model), anthropic.AuthenticationError)
    check(error.request_id, f"a refusal has no request-id: {sorted(error.response.headers)}")


PAIRS = [
    (400, "invalid_request_error"),
    (401, "authentication_error"),
    (403, "permission_error"),
    (404, "not_found_error"),
    (413, "request_too_large"),
    (429, "rate_limit_error"),
    (500, "api_error"),
    (503, "api_error"),
    (503, "overloaded_error"),
    (503, "service_unavailable_error"),
    (529, "overloaded_error"),
]


def agrees(error):
    check_status_and_kind(error, error.status_code, error.body["error"]["type"], PAIRS)


def unknown_model():
    error = check_raises(lambda: create(model=UNKNOWN_MODEL), anthropic.NotFoundError, anthropic.BadRequestError)
    check(UNKNOWN_MODEL in str(error), error)
    agrees(error)


def wrong_field(model):
    error = check_raises(lambda: create(model=model, extra_body={"temperature": "warm"}), anthropic.BadRequestError)
    check("temperature" in str(error), error)
    agrees(error)


def rate_limited(model):
    error = check_raises(lambda: create(model=model, messages=user("[[twin:429=1]]")), anthropic.APIStatusError)
    check_status(error, error.status_code, 429, 503)
    agrees(error)


def broken_stream(mark, model):
    text = f"{HELLO} [[twin:long=60]][[twin:{mark}]]"

    def drain():
        with client.messages.stream(model=model, max_tokens=500, messages=user(text)) as stream:
            return list(stream.text_stream)

    error = check_raises(drain, anthropic.APIError)
    check(str(error) not in ("", "None"), error)
    told = error.body if isinstance(error.body, dict) else {}
    check(told.get("request_id", "req") != "", f"an empty request_id: {told}")


def silence(model):
    """Nothing for longer than the interval of keep-alives, then an answer."""
    with client.messages.stream(model=model, max_tokens=500, messages=user(f"{HELLO} [[twin:slow=17000]]")) as stream:
        check_said("".join(stream.text_stream))


def models():
    listed = [model.id for model in client.models.list()]
    check(MODELS["chat"]["anthropic"] in listed and client.models.retrieve(listed[0]).id == listed[0], listed)


async def asynchronous(model):
    async with anthropic.AsyncAnthropic(base_url=URL, api_key=KEY, max_retries=0, _strict_response_validation=True) as at:
        async with at.messages.stream(model=model, max_tokens=500, messages=user(HELLO)) as stream:
            check_said("".join([text async for text in stream.text_stream]))


each("plain", plain, rest=True)
each("order", order)
each("streamed", streamed, rest=True)
each("raw stream", raw_streamed)
each("asynchronous", asynchronous)
each("tools", tools)
each("tools streamed", tools_streamed)
each("tool runner", tool_runner)
each("tool runner streamed", tool_runner_streamed)
each("structured", structured)
each("history", history)
each("picture", picture)
case("picture out", picture_out)
case("picture out streamed", picture_out_streamed)
each("count", count)
each("thread", state("thread", {"type": "create"}))
each("container", state("container", "container_0123456789"))
each("previous_message_id", state("previous_message_id", "msg_0123456789"))
each("wrong key", wrong_key)
each("request id", request_id)
case("unknown model", unknown_model)
each("wrong field", wrong_field)
each_faulty("429", rate_limited)
each_faulty("stream cut", broken_stream, "cut=3")
each_faulty("stream error", broken_stream, "error-event=3")
each_faulty("stream malformed", broken_stream, "malformed")
if not QUICK:
    all_at_once("silence", silence)
case("models", models)
run("anthropic", "anthropic")
