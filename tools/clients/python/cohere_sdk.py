"""Cohere's SDK: reranking and vectors by its second form, over models of several vendors; plain and asynchronous."""
import asyncio

import cohere
from kit import *

client = cohere.ClientV2(api_key=KEY, base_url=URL, timeout=35)
QUERY = "When does the tide turn?"
DOCUMENTS = ["Invoices are due in thirty days.", "The tide turns at noon.", "The tide is high."]


def rerank(model):
    answer = client.rerank(model=model, query=QUERY, documents=DOCUMENTS)
    check([result.index for result in answer.results][0] == 1, answer)
    check(sorted(result.index for result in answer.results) == [0, 1, 2], answer)
    scores = [result.relevance_score for result in answer.results]
    check(scores == sorted(scores, reverse=True), scores)
    check(answer.meta.billed_units.search_units is not None and answer.id, answer)


def rerank_best(model):
    answer = client.rerank(model=model, query=QUERY, documents=DOCUMENTS, top_n=1, max_tokens_per_doc=512)
    check([result.index for result in answer.results] == [1], answer)


def rerank_at_once(model):
    async def both():
        asked = cohere.AsyncClientV2(api_key=KEY, base_url=URL, timeout=35)
        return await asyncio.gather(
            *[asked.rerank(model=model, query=QUERY, documents=DOCUMENTS, top_n=2) for _ in range(4)]
        )

    check(all(len(answer.results) == 2 for answer in asyncio.run(both())), "not four answers of two")


def embed(model, types):
    answer = client.embed(
        model=model, texts=DOCUMENTS, input_type="search_document", embedding_types=types, output_dimension=256
    )
    for kind in types:
        vectors = getattr(answer.embeddings, kind + "_" if kind == "float" else kind)
        check(len(vectors) == 3 and len(vectors[0]) == 256, kind)
    check(answer.meta.billed_units.input_tokens > 0 and answer.id, answer.meta)


def wrong_key():
    stranger = cohere.ClientV2(api_key=WRONG_KEY, base_url=URL, timeout=35)
    check_raises(
        lambda: stranger.rerank(model=MODELS["rerank"], query=QUERY, documents=DOCUMENTS), cohere.UnauthorizedError
    )


def unknown_model():
    check_raises(
        lambda: client.rerank(model=UNKNOWN_MODEL, query=QUERY, documents=DOCUMENTS),
        cohere.BadRequestError,
        cohere.NotFoundError,
    )


def wrong_documents():
    error = check_raises(
        lambda: client.rerank(model=MODELS["rerank"], query=QUERY, documents=[]), cohere.BadRequestError
    )
    check("documents" in str(error.body), error)


for name in ("rerank", "rerankOther", "rerankCompatible"):
    case(f"rerank, {MODELS[name]}", rerank, MODELS[name])
    case(f"the best alone, {MODELS[name]}", rerank_best, MODELS[name])
case(f"vectors, {MODELS['vectorsTyped']}", embed, MODELS["vectorsTyped"], ["float", "int8"])
case(f"vectors, {MODELS['embedding']}", embed, MODELS["embedding"], ["float"])
case("four at once", rerank_at_once, MODELS["rerank"])
case("wrong key", wrong_key)
case("unknown model", unknown_model)
case("wrong documents", wrong_documents)
run("cohere", "cohere")
