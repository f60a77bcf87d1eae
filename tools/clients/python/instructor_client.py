"""instructor: validated objects by tools, by JSON schema and by JSON, plain and streamed."""
import instructor
import openai
from kit import *
from pydantic import BaseModel


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


MODES = {"tools": instructor.Mode.TOOLS, "JSON schema": instructor.Mode.JSON_SCHEMA}


def client_of(mode):
    return instructor.from_openai(openai.OpenAI(base_url=OPENAI_URL, api_key=KEY, max_retries=0), mode=MODES[mode])


def ask_for(mode, model):
    return {"model": model, "messages": [{"role": "user", "content": "Who is it?"}], "max_retries": 0}


def plain(mode, model):
    person = client_of(mode).create(response_model=Person, **ask_for(mode, model))
    check(isinstance(person, Person), person)


def partial(mode, model):
    parts = list(client_of(mode).create_partial(response_model=Person, **ask_for(mode, model)))
    check(parts and parts[-1].name is not None and parts[-1].age is not None, parts)


def several(mode, model):
    people = list(client_of(mode).create_iterable(response_model=Person, **ask_for(mode, model)))
    check(people and isinstance(people[0], Person), people)


for mode in MODES:
    each(f"{mode}: one", plain, mode, rest=True)
    each(f"{mode}: in parts", partial, mode)
    each(f"{mode}: several", several, mode)
run("instructor", "instructor")
