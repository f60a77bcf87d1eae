"""OpenAI's SDK: responses that the gateway keeps, in the background too, over models of every format."""
import time

import openai
from kit import *

client = openai.OpenAI(base_url=OPENAI_URL, api_key=KEY, max_retries=0, _strict_response_validation=True, timeout=35)
OTHER = {"openai": "anthropic", "anthropic": "gemini", "gemini": "compatible", "compatible": "openai"}
ENDED = ("completed", "incomplete", "failed", "cancelled")


def other_than(model):
    [label] = [label for label, each in MODELS["chat"].items() if each == model]
    return MODELS["chat"][OTHER[label]]


def finished(answer):
    while answer.status not in ENDED:
        time.sleep(0.1)
        answer = client.responses.retrieve(answer.id)
    return answer


def thread(model):
    first = client.responses.create(model=model, input="My name is Ada")
    second = client.responses.create(model=other_than(model), input=HELLO, previous_response_id=first.id)
    check_said(second.output_text, "Turns so far: 3.")
    kept = client.responses.retrieve(second.id)
    check(kept.output_text == second.output_text and kept.previous_response_id == first.id, kept)
    [item] = client.responses.input_items.list(second.id).data
    check(item.content[0].text == HELLO, item)


def by_reference(model):
    first = client.responses.create(model=model, input="My name is Ada")
    ids = [item.id for item in client.responses.input_items.list(first.id).data] + [item.id for item in first.output]
    named = [{"type": "item_reference", "id": each} for each in ids]
    second = client.responses.create(model=other_than(model), input=[*named, {"role": "user", "content": HELLO}])
    check_said(second.output_text, "Turns so far: 3.")


def conversation(model):
    talk = client.conversations.create()
    client.responses.create(model=model, input="My name is Ada", conversation=talk.id)
    second = client.responses.create(model=other_than(model), input=HELLO, conversation=talk.id)
    check_said(second.output_text, "Turns so far: 3.")
    items = client.conversations.items.list(talk.id, order="asc").data
    check([item.role for item in items if item.type == "message"] == ["user", "assistant"] * 2, items)
    check(client.conversations.delete(talk.id).deleted, "not deleted")


def background(model):
    answer = client.responses.create(model=model, input=HELLO, background=True, max_output_tokens=400)
    check(answer.status == "queued", answer.status)
    answer = finished(answer)
    check(answer.status == "completed" and answer.usage.output_tokens > 0, answer)
    check_said(answer.output_text)
    events = list(client.responses.retrieve(answer.id, stream=True))
    check([event.sequence_number for event in events] == list(range(len(events))), "the events have a gap")
    rest = list(client.responses.retrieve(answer.id, stream=True, starting_after=events[2].sequence_number))
    check([event.type for event in rest] == [event.type for event in events[3:]], rest)


def background_streamed(model):
    stream = client.responses.create(
        model=model, input=HELLO, background=True, stream=True, max_output_tokens=400
    )
    heard = []
    for event in stream:
        heard.append(event)
        if len(heard) == 3:
            stream.close()
            break
    rest = list(client.responses.retrieve(heard[0].response.id, stream=True, starting_after=heard[-1].sequence_number))
    numbers = [event.sequence_number for event in heard + rest]
    check(numbers == list(range(len(numbers))), numbers)
    check(rest[-1].type == "response.completed", rest[-1])


def cancelled(model):
    answer = client.responses.create(
        model=model, input=f"{HELLO} [[twin:long=4000]]", background=True, max_output_tokens=8000
    )
    check(client.responses.cancel(answer.id).status == "cancelled", "not cancelled")
    check(finished(client.responses.retrieve(answer.id)).status == "cancelled", "not cancelled in the end")


def deleted(model):
    first = client.responses.create(model=model, input=HELLO)
    client.responses.delete(first.id)
    check_raises(lambda: client.responses.retrieve(first.id), openai.NotFoundError)
    check_raises(
        lambda: client.responses.create(model=model, input=HELLO, previous_response_id=first.id), openai.NotFoundError
    )


def kept_by_nobody(model):
    answer = client.responses.create(model=model, input=HELLO, store=False)
    check_raises(lambda: client.responses.retrieve(answer.id), openai.NotFoundError, openai.BadRequestError)


each("thread over vendors", thread)
each("items by reference", by_reference)
each("conversation over vendors", conversation)
each("background", background)
each("background, streamed and resumed", background_streamed)
each("cancelled", cancelled)
each("deleted", deleted)
each("store: false", kept_by_nobody)
run("openai-kept", "openai")
