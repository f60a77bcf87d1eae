"""Google's SDK: generate and stream content, chats, functions it calls by itself, structured output, pictures, counting, models."""
import base64
import json
import urllib.request

from google import genai
from google.genai import errors, types
from kit import *
from pydantic import BaseModel


def client_of(key=KEY):
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=URL, timeout=35_000))


client = client_of()


class Person(BaseModel):
    name: str
    age: int


def generate(at=client, **named):
    return at.models.generate_content(**{"contents": HELLO, **named})


def plain(model):
    answer = generate(model=model)
    check_said(answer.text)
    check(answer.candidates[0].finish_reason == types.FinishReason.STOP, answer)
    check(answer.usage_metadata.total_token_count > 0, answer.usage_metadata)


def streamed(model):
    chunks = list(client.models.generate_content_stream(model=model, contents=HELLO))
    check_said("".join(chunk.text or "" for chunk in chunks))
    check(chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP, chunks[-1])
    check(chunks[-1].usage_metadata.total_token_count > 0, chunks[-1])


# Of Google's own wire, and not among the SDK's types.
UNTYPED = {"usageMetadata": "serviceTier"}


def strict(model):
    """The SDK leaves out what it does not know; its types forbid it."""
    for text in (HELLO, WEATHER):
        body = {"contents": [{"role": "user", "parts": [{"text": text}]}]}
        if text is WEATHER:
            body["tools"] = [{"functionDeclarations": [{"name": "get_weather", "parametersJsonSchema": WEATHER_SCHEMA}]}]
        request = urllib.request.Request(
            f"{URL}/v1beta/models/{model}:generateContent",
            data=json.dumps(body).encode(),
            headers={"x-goog-api-key": KEY, "content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=35) as reply:
            answer = json.load(reply)
        for member, name in UNTYPED.items():
            answer.get(member, {}).pop(name, None)
        types.GenerateContentResponse.model_validate(answer)


async def asynchronous(model):
    text = ""
    async for chunk in await client_of().aio.models.generate_content_stream(model=model, contents=HELLO):
        text += chunk.text or ""
    check_said(text)


def get_weather(city: str) -> str:
    """Weather of a city."""
    return f"21 degrees in {city}"


DECLARED = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name="get_weather",
            description="Weather of a city",
            parameters=types.Schema(type="OBJECT", properties={"city": types.Schema(type="STRING")}, required=["city"]),
        )
    ]
)


def tools(model):
    config = types.GenerateContentConfig(tools=[DECLARED])
    first = generate(model=model, contents=WEATHER, config=config)
    check(first.function_calls and first.function_calls[0].name == "get_weather", first)
    check("city" in first.function_calls[0].args, first)
    call = first.function_calls[0]
    answer = types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"result": "21 degrees"}))
    turns = [types.Content(role="user", parts=[types.Part(text=WEATHER)]), first.candidates[0].content, types.Content(role="user", parts=[answer])]
    check_said(generate(model=model, contents=turns, config=config).text, "21 degrees")


def tools_by_itself(model):
    answer = generate(model=model, contents=WEATHER, config=types.GenerateContentConfig(tools=[get_weather]))
    check_said(answer.text, "21 degrees")


def tools_streamed(model):
    config = types.GenerateContentConfig(tools=[DECLARED])
    chunks = list(client.models.generate_content_stream(model=model, contents=WEATHER, config=config))
    calls = [call for chunk in chunks for call in chunk.function_calls or []]
    check(len(calls) == 1 and "city" in calls[0].args, chunks)


def structured(model):
    config = types.GenerateContentConfig(response_mime_type="application/json", response_schema=Person)
    answer = generate(model=model, contents="Who is it?", config=config)
    check(isinstance(answer.parsed, Person), answer)


def structured_by_json_schema(model):
    config = types.GenerateContentConfig(response_mime_type="application/json", response_json_schema=Person.model_json_schema())
    Person.model_validate_json(generate(model=model, contents="Who is it?", config=config).text)


def chat(model):
    talk = client.chats.create(model=model, config=types.GenerateContentConfig(system_instruction="Be brief"))
    talk.send_message("My name is Ada")
    text = "".join(chunk.text or "" for chunk in talk.send_message_stream(HELLO))
    check_said(text, HELLO, "Be brief", "Turns so far: 3.")


def picture(model):
    part = types.Part.from_bytes(data=base64.b64decode(PNG), mime_type="image/png")
    check_said(generate(model=model, contents=["What is this?", part]).text, "Images seen: 1.")


def cached_content(model):
    """Content kept by a vendor is refused where nobody has it; it is never dropped."""
    error = check_raises(
        lambda: generate(model=model, config=types.GenerateContentConfig(cached_content="cachedContents/nobody")).text,
        errors.ClientError,
    )
    check_status(error, error.code, 400, 403, 404)


def count(model):
    check(client.models.count_tokens(model=model, contents=HELLO).total_tokens > 3, "too few")


def embed(model):
    config = types.EmbedContentConfig(output_dimensionality=256, task_type="CLUSTERING")
    answer = client.models.embed_content(model=model, contents=["High tide", "Bills"], config=config)
    check([len(each.values) for each in answer.embeddings] == [256, 256], answer)


PAIRS = [
    (400, "INVALID_ARGUMENT"),
    (400, "FAILED_PRECONDITION"),
    (401, "UNAUTHENTICATED"),
    (403, "PERMISSION_DENIED"),
    (404, "NOT_FOUND"),
    (429, "RESOURCE_EXHAUSTED"),
    (500, "INTERNAL"),
    (503, "UNAVAILABLE"),
]


def agrees(error):
    check_status_and_kind(error, error.code, error.status, PAIRS)
    sent = error.response.status_code
    check(sent == error.code, f"the status line says {sent}, the body {error.code}")


def wrong_key(model):
    error = check_raises(lambda: generate(client_of(WRONG_KEY), model=model), errors.ClientError)
    check_status(error, error.code, 400, 401, 403)
    agrees(error)


def unknown_model():
    error = check_raises(lambda: generate(model=UNKNOWN_MODEL), errors.ClientError)
    check(UNKNOWN_MODEL in str(error), error)
    agrees(error)


def unknown_method():
    error = check_raises(
        lambda: client.models.generate_videos(model=MODELS["videoTask"], prompt="a lighthouse"), errors.ClientError
    )
    check_status(error, error.code, 404)
    agrees(error)


def wrong_field(model):
    error = check_raises(lambda: generate(model=model, config={"http_options": {"extra_body": {"generationConfig": {"temperature": "warm"}}}}), errors.ClientError)
    check("temperature" in str(error), error)
    agrees(error)


def rate_limited(model):
    error = check_raises(lambda: generate(model=model, contents="[[twin:429=1]]"), errors.APIError)
    check_status(error, error.code, 429, 503)
    agrees(error)


def broken_stream(mark, model):
    text = f"{HELLO} [[twin:long=60]][[twin:{mark}]]"
    check_raises(lambda: list(client.models.generate_content_stream(model=model, contents=text)), errors.APIError)


def silence(model):
    """Nothing for longer than the interval of keep-alives, then an answer."""
    text = f"{HELLO} [[twin:slow=17000]]"
    check_said("".join(chunk.text or "" for chunk in client.models.generate_content_stream(model=model, contents=text)))


def image():
    config = types.GenerateContentConfig(response_modalities=["TEXT", "IMAGE"])
    answer = generate(model=MODELS["imageChat"], contents="a lighthouse", config=config)
    check(any(part.inline_data and part.inline_data.data for part in answer.parts), "no picture")


def image_streamed():
    config = types.GenerateContentConfig(response_modalities=["TEXT", "IMAGE"])
    chunks = list(client.models.generate_content_stream(model=MODELS["imageChat"], contents="a lighthouse", config=config))
    check(any(part.inline_data for chunk in chunks for part in chunk.parts or []), "no picture")


def models():
    listed = [model.name for model in client.models.list()]
    name = f"models/{MODELS['chat']['gemini']}"
    check(name in listed and client.models.get(model=MODELS["chat"]["gemini"]).name == name, listed)


each("plain", plain, rest=True)
each("streamed", streamed, rest=True)
each("strict", strict, rest=True)
each("asynchronous", asynchronous)
each("tools", tools)
each("tools by itself", tools_by_itself)
each("tools streamed", tools_streamed)
each("structured", structured)
each("structured by JSON schema", structured_by_json_schema)
each("chat", chat)
each("picture", picture)
each("count", count)
each("cached content", cached_content)
each("wrong key", wrong_key)
case("unknown model", unknown_model)
case("unknown method", unknown_method)
each("wrong field", wrong_field)
each_faulty("429", rate_limited)
each_faulty("stream cut", broken_stream, "cut=3")
each_faulty("stream error", broken_stream, "error-event=3")
each_faulty("stream malformed", broken_stream, "malformed")
if not QUICK:
    all_at_once("silence", silence)
case("embed", embed, MODELS["embedding"])
case("embed by Google", embed, MODELS["embeddingOther"])
case("image", image)
case("image streamed", image_streamed)
case("models", models)
run("google-genai", "google-genai")
