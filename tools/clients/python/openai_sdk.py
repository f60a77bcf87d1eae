"""OpenAI's SDK: chat completions, responses, pictures, speech, video, models; plain and asynchronous."""
import base64
import io
import json

import openai
from kit import *
from openai.types.chat import ChatCompletionChunk
from pydantic import BaseModel

# Every answer is held against the SDK's own types.
client = openai.OpenAI(base_url=OPENAI_URL, api_key=KEY, max_retries=0, _strict_response_validation=True, timeout=35)
# It asks for vectors in base64, which its own types do not have.
lenient = openai.OpenAI(base_url=OPENAI_URL, api_key=KEY, max_retries=0, timeout=35)
TOOL = {"name": "get_weather", "description": "Weather of a city", "parameters": WEATHER_SCHEMA, "strict": True}


class Person(BaseModel):
    name: str
    age: int


def user(text):
    return [{"role": "user", "content": text}]


# ---- chat completions


def chat_plain(model):
    answer = client.chat.completions.create(model=model, messages=user(HELLO))
    check_said(answer.choices[0].message.content)
    check(answer.choices[0].finish_reason == "stop", answer.choices[0].finish_reason)
    check(answer.usage.total_tokens > 0, answer.usage)


def chat_streamed(model):
    text, usage, chunks, finish = "", None, 0, None
    for chunk in client.chat.completions.create(
        model=model, messages=user(HELLO), stream=True, stream_options={"include_usage": True}
    ):
        chunks += 1
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
    check_said(text)
    check(chunks > 2 and finish == "stop", f"{chunks} chunks, {finish}")
    check(usage is not None and usage.total_tokens > 0, f"usage {usage}")


def chat_tools(model):
    tools = [{"type": "function", "function": TOOL}]
    first = client.chat.completions.create(model=model, messages=user(WEATHER), tools=tools)
    message = first.choices[0].message
    check(first.choices[0].finish_reason == "tool_calls" and message.tool_calls, first)
    call = message.tool_calls[0]
    check(call.function.name == "get_weather" and "city" in json.loads(call.function.arguments), call)
    history = [*user(WEATHER), message, {"role": "tool", "tool_call_id": call.id, "content": "21 degrees"}]
    check_said(client.chat.completions.create(model=model, messages=history, tools=tools).choices[0].message.content, "21 degrees")


def chat_tools_streamed(model):
    tools = [{"type": "function", "function": TOOL}]
    with client.chat.completions.stream(model=model, messages=user(WEATHER), tools=tools) as stream:
        final = stream.get_final_completion()
    call = final.choices[0].message.tool_calls[0]
    check(call.function.name == "get_weather" and "city" in json.loads(call.function.arguments), call)


def chat_structured(model):
    parsed = client.chat.completions.parse(model=model, messages=user("Who is it?"), response_format=Person)
    check(isinstance(parsed.choices[0].message.parsed, Person), parsed)


def chat_history(model):
    answer = client.chat.completions.create(
        model=model,
        messages=[
            {"role": "system", "content": "Be brief"},
            *user("My name is Ada"),
            {"role": "assistant", "content": "Hello Ada"},
            *user(HELLO),
        ],
    )
    check_said(answer.choices[0].message.content, HELLO, "Be brief", "Turns so far: 3.")


def chat_picture(model):
    content = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
    ]
    answer = client.chat.completions.create(model=model, messages=[{"role": "user", "content": content}])
    check_said(answer.choices[0].message.content, "Images seen: 1.")


# ---- responses


def responses_plain(model):
    answer = client.responses.create(model=model, input=HELLO)
    check_said(answer.output_text)
    check(answer.status == "completed" and answer.usage.total_tokens > 0, answer)


def responses_order(model):
    """The answer is the last item: what was thought before it stands before it."""
    kinds = [item.type for item in client.responses.create(model=model, input=HELLO).output]
    check(kinds[-1] == "message", kinds)


def responses_streamed(model):
    with client.responses.stream(model=model, input=HELLO) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    check_said(final.output_text)
    check(kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds)


def responses_tools(model):
    tools = [{"type": "function", **TOOL}]
    first = client.responses.create(model=model, input=user(WEATHER), tools=tools)
    calls = [item for item in first.output if item.type == "function_call"]
    check(len(calls) == 1 and "city" in json.loads(calls[0].arguments), first)
    history = [
        *user(WEATHER),
        *first.output,
        {"type": "function_call_output", "call_id": calls[0].call_id, "output": "21 degrees"},
    ]
    check_said(client.responses.create(model=model, input=history, tools=tools).output_text, "21 degrees")


def responses_structured(model):
    parsed = client.responses.parse(model=model, input="Who is it?", text_format=Person)
    check(isinstance(parsed.output_parsed, Person), parsed)


def responses_state(model):
    """A turn that leans on an earlier answer either has it or is refused; it is never answered without it."""
    first = client.responses.create(model=model, input="My name is Ada")
    try:
        second = client.responses.create(model=model, input=HELLO, previous_response_id=first.id)
    except openai.BadRequestError as error:
        check("previous_response_id" in str(error), error)
        return
    check_said(second.output_text, "Turns so far: 3.")


def conversation_state(model):
    error = check_raises(
        lambda: client.responses.create(model=model, input=HELLO, conversation="conv_0123456789").output_text,
        openai.BadRequestError,
        openai.NotFoundError,
    )
    check("conversation" in str(error).lower(), error)


# ---- refusals, in both forms


def chat_of(at=client, **named):
    return lambda: at.chat.completions.create(**{"messages": user(HELLO), **named})


def responses_of(at=client, **named):
    return lambda: at.responses.create(**{"input": HELLO, **named})


def wrong_key(form, model):
    error = check_raises(form(at=client.with_options(api_key=WRONG_KEY), model=model), openai.AuthenticationError)
    check(error.code == "invalid_api_key" or error.type is not None, error.body)


def unknown_model(form):
    error = check_raises(form(model=UNKNOWN_MODEL), openai.NotFoundError, openai.BadRequestError)
    check(UNKNOWN_MODEL in str(error), error)


def unlisted_field(form, model):
    """A field of a wrong type is named."""
    error = check_raises(form(model=model, temperature="warm"), openai.BadRequestError)
    check("temperature" in str(error), error)


def rate_limited_chat(model):
    error = check_raises(chat_of(model=model, messages=user("[[twin:429=1]]")), openai.RateLimitError)
    check("retry-after" in error.response.headers, dict(error.response.headers))


def rate_limited_responses(model):
    error = check_raises(responses_of(model=model, input="[[twin:429=1]]"), openai.APIStatusError)
    status = error.status_code
    check(status in (429, 503), f"status {status}")
    told = error.body.get("type")
    agree = {429: ("rate_limit_error", "rate_limit_exceeded"), 503: ("server_error", "service_unavailable", "service_unavailable_error", "api_error", "overloaded_error")}
    check(told in agree[status], f"status {status} with type {told!r}: {error.body}")


def drain(stream):
    return [chunk for chunk in stream]


def broken_chat_stream(mark, model):
    """A stream that breaks raises the SDK's own error, not one of its JSON reader."""
    text = f"{HELLO} [[twin:long=60]][[twin:{mark}]]"
    error = check_raises(lambda: drain(chat_of(model=model, stream=True, messages=user(text))()), openai.APIError)
    check(str(error) != "", error)


def broken_responses_stream(mark, model):
    """The form has events of its own for that: the SDK hands them on, or raises."""
    text = f"{HELLO} [[twin:long=60]][[twin:{mark}]]"
    try:
        events = drain(responses_of(model=model, stream=True, input=text)())
    except openai.APIError as error:
        check(str(error) != "", error)
        return
    last = events[-1]
    told = last.response.error if last.type == "response.failed" else last
    check(last.type in ("error", "response.failed"), f"the stream ends with {last.type}")
    check(told is not None and told.message, last)
    ends = [event.type for event in events if event.type in ("error", "response.failed", "response.completed")]
    check(len(ends) == 1, ends)
    numbers = [event.sequence_number for event in events]
    check(numbers == sorted(set(numbers)), f"the sequence numbers do not rise: {numbers}")


def silence(form, model):
    """Nothing for longer than the interval of keep-alives, then an answer."""
    text = f"{HELLO} [[twin:slow=17000]]"
    named = {"messages": user(text)} if form is chat_of else {"input": text}
    check(len(drain(form(model=model, stream=True, **named)())) > 2, "an empty stream")


# ---- media


def image():
    drawn = client.images.generate(model=MODELS["image"], prompt="a lighthouse", size="2K", response_format="b64_json")
    check(len(base64.b64decode(drawn.data[0].b64_json)) > 100, drawn)


def image_url():
    drawn = client.images.generate(model=MODELS["imageEdit"], prompt="a lighthouse", n=2)
    check(len(drawn.data) == 2 and (drawn.data[0].b64_json or drawn.data[0].url), drawn)


def image_edit():
    drawn = client.images.generate(model=MODELS["imageEdit"], prompt="a lighthouse", size="1024x1024")
    picture = io.BytesIO(base64.b64decode(drawn.data[0].b64_json))
    picture.name = "picture.png"
    edited = client.images.edit(model=MODELS["imageEdit"], image=picture, prompt="at night")
    check(edited.data[0].b64_json or edited.data[0].url, edited)


def image_streamed():
    kinds = [event.type for event in client.images.generate(model=MODELS["imageEdit"], prompt="a lighthouse", stream=True, partial_images=1)]
    check(kinds[-1] == "image_generation.completed", kinds)


def speech():
    sound = client.audio.speech.create(model=MODELS["speech"], voice="alloy", input="High tide", response_format="wav")
    check(sound.content[:4] == b"RIFF", sound.content[:40])


def speech_streamed():
    with client.audio.speech.with_streaming_response.create(
        model=MODELS["speech"], voice="alloy", input="High tide", response_format="wav"
    ) as reply:
        check(sum(map(len, reply.iter_bytes())) > 1000, "little sound")


def recording():
    spoken = client.audio.speech.create(model=MODELS["speech"], voice="alloy", input="High tide", response_format="wav")
    sound = io.BytesIO(spoken.content)
    sound.name = "talk.wav"
    return sound


def transcript():
    sound = recording()
    told = client.audio.transcriptions.create(
        model=MODELS["transcription"], file=sound, response_format="verbose_json", timestamp_granularities=["word"]
    )
    check(told.text and told.words and told.duration > 0.3, told)
    sound.seek(0)
    lines = client.audio.transcriptions.create(model=MODELS["transcription"], file=sound, response_format="srt")
    check("00:00:00,000 --> " in lines, lines)
    sound.seek(0)
    check(client.audio.translations.create(model=MODELS["transcription"], file=sound).text, "no translation")


def transcript_streamed():
    sound = recording()
    events = list(client.audio.transcriptions.create(model=MODELS["streamed_transcription"], file=sound, stream=True))
    pieces = [event.delta for event in events if event.type == "transcript.text.delta"]
    check(events[-1].type == "transcript.text.done" and events[-1].text == "".join(pieces), events)


def embeddings():
    # The SDK asks for base64 by itself and makes numbers of it.
    for model in (MODELS["embedding"], MODELS["embeddingOther"]):
        answer = lenient.embeddings.create(model=model, input=["High tide", "High tides", "Bills"], dimensions=256)
        tide, tides, bills = (row.embedding for row in answer.data)
        alike = lambda one, other: sum(left * right for left, right in zip(one, other))
        check(len(tide) == 256 and alike(tide, tides) > alike(tide, bills), answer.usage)
        check(answer.usage.prompt_tokens > 0, answer.usage)


def resumed(model):
    raw = client.chat.completions.with_raw_response.create(
        model=model, messages=user(f"{HELLO}, in many words. " * 10), stream=True, extra_headers={"x-gateway-resumable": "true"}
    )
    begun = []
    with raw.parse() as stream:
        for chunk in stream:
            begun.append(chunk)
            if len(begun) == 3:
                break
    path = f"/streams/{raw.headers['x-gateway-stream-id']}"

    def behind(count):
        stream = client.get(
            path,
            cast_to=ChatCompletionChunk,
            options={"headers": {"Last-Event-ID": str(count)}},
            stream=True,
            stream_cls=openai.Stream[ChatCompletionChunk],
        )
        return list(stream)

    rest, whole = behind(3), behind(0)
    check([*begun, *rest] == whole, (len(begun), len(rest), len(whole)))
    check(whole[-1].choices == [] or whole[-1].choices[0].finish_reason == "stop", whole[-1])


def moderation():
    answer = client.moderations.create(input=["High tide", "I will stab you"])
    check([result.flagged for result in answer.results] == [False, True], answer)


def video():
    done = client.videos.create_and_poll(model=MODELS["video"], prompt="a lighthouse", seconds="4", size="1280x720", poll_interval_ms=500)
    check(done.status == "completed", done)
    check(client.videos.download_content(done.id).read()[4:8] == b"ftyp", "not an mp4")
    check(done.id in [each_video.id for each_video in client.videos.list()], "it is not listed")
    check(client.videos.delete(done.id).deleted, "it was not deleted")


def video_unsized():
    made = client.videos.create(model=MODELS["video"], prompt="a lighthouse")
    check(made.size == client.videos.retrieve(made.id).size and made.seconds, made)


def video_failed():
    done = client.videos.create_and_poll(model=MODELS["video"], prompt="a lighthouse [[twin:fail]]", seconds="4", size="1280x720", poll_interval_ms=500)
    check(done.status == "failed" and done.error and done.error.message, done)


def video_unknown():
    check_raises(lambda: client.videos.retrieve("video_nobody"), openai.NotFoundError, openai.BadRequestError)


def video_wrong_seconds():
    error = check_raises(lambda: client.videos.create(model=MODELS["video"], prompt="x", seconds="99"), openai.BadRequestError)
    check("seconds" in str(error), error)


def models():
    listed = [model.id for model in client.models.list()]
    check(MODELS["chat"]["openai"] in listed and client.models.retrieve(listed[0]).id == listed[0], listed)


async def asynchronous(model):
    async with openai.AsyncOpenAI(base_url=OPENAI_URL, api_key=KEY, max_retries=0, _strict_response_validation=True) as at:
        text = ""
        async for chunk in await at.chat.completions.create(model=model, messages=user(HELLO), stream=True):
            text += chunk.choices[0].delta.content or "" if chunk.choices else ""
        check_said(text)


each("chat plain", chat_plain, rest=True)
each("chat streamed", chat_streamed, rest=True)
each("chat tools", chat_tools)
each("chat tools streamed", chat_tools_streamed)
each("chat structured", chat_structured)
each("chat history", chat_history)
each("chat picture", chat_picture)
each("chat asynchronous", asynchronous)
each("responses plain", responses_plain, rest=True)
each("responses order", responses_order)
each("responses streamed", responses_streamed, rest=True)
each("responses tools", responses_tools)
each("responses structured", responses_structured)
each("responses previous_response_id", responses_state)
each("responses conversation", conversation_state)
for form, name in ((chat_of, "chat"), (responses_of, "responses")):
    each(f"{name} wrong key", wrong_key, form)
    case(f"{name} unknown model", unknown_model, form)
    each(f"{name} wrong field", unlisted_field, form)
    broken = broken_chat_stream if form is chat_of else broken_responses_stream
    each_faulty(f"{name} stream cut", broken, "cut=3")
    each_faulty(f"{name} stream error", broken, "error-event=3")
    each_faulty(f"{name} stream malformed", broken, "malformed")
    if not QUICK:
        all_at_once(f"{name} silence", silence, form)
each_faulty("chat 429", rate_limited_chat)
each_faulty("responses 429", rate_limited_responses)
case("models", models)
case("image", image)
case("image in the other form", image_url)
case("image edited", image_edit)
case("image streamed", image_streamed)
case("speech", speech)
case("speech streamed", speech_streamed)
case("transcript", transcript)
case("transcript streamed", transcript_streamed)
case("embeddings", embeddings)
case("moderation", moderation)
for model in MODELS["chat"].values():
    case(f"a resumable stream, left and gone on with, {model}", resumed, model)
case("video", video)
case("video unsized", video_unsized)
case("video failed", video_failed)
case("video unknown", video_unknown)
case("video wrong seconds", video_wrong_seconds)
run("openai", "openai")
