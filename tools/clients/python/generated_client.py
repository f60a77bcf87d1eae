"""The client that openapi-python-client made of the document: all of it can be imported; a chat and a video go through it."""
import importlib
import os
import pkgutil
import sys
import time

from kit import *

sys.path.insert(0, os.environ["GENERATED"])
import generated


def client():
    from generated.client import AuthenticatedClient

    return AuthenticatedClient(base_url=URL, token=KEY)


def imports():
    broken = []
    for module in pkgutil.walk_packages(generated.__path__, "generated.", onerror=lambda name: broken.append(name)):
        try:
            importlib.import_module(module.name)
        except Exception as error:  # noqa: BLE001
            broken.append(f"{module.name}: {type(error).__name__}: {error}")
    check(not broken, "; ".join(sorted(set(broken))))


def chat():
    from generated.api.chat import create_chat_completion
    from generated.models.chat_completion_request import ChatCompletionRequest

    body = ChatCompletionRequest.from_dict(
        {"model": MODELS["chat"]["openai"], "messages": [{"role": "user", "content": HELLO}]}
    )
    check_said(create_chat_completion.sync(client=client(), body=body).to_dict()["choices"][0]["message"]["content"])


def video():
    from generated.api.video import create_video, get_video, get_video_content
    from generated.models.seconds_family_f import SecondsFamilyF

    body = SecondsFamilyF.from_dict({"model": MODELS["video"], "prompt": "a lighthouse", "seconds": "4"})
    task = create_video.sync(client=client(), body=body)
    while task.to_dict()["status"] in ("queued", "in_progress"):
        time.sleep(0.5)
        task = get_video.sync(task.id, client=client())
    check(task.to_dict()["status"] == "completed", task)
    check(get_video_content.sync_detailed(task.id, client=client()).content[4:8] == b"ftyp", "not an mp4")
    check(get_video_content.sync(task.id, client=client()) is not None, "the file is not read as a file")


def listed(form):
    """The list of models comes in the form that its credential asks for, and can be read."""

    def work():
        from generated.api.models import list_models

        check(list_models.sync(client=client()).to_dict()["data"], "no models")

    return work


case("imports everything", imports)
case("chat", chat)
case("video", video)
case("models", listed("openai"))
run("openapi-python-client", "openapi-python-client")
