package dev.weir.http.controller;

import java.util.function.Supplier;

import dev.weir.http.access.AccessDecision;
import dev.weir.http.access.Requester;
import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.HttpRequest;

/** The handler of granted requests to one path. */
@FunctionalInterface
public interface Endpoint {
    /** Answers a request. */
    HttpReply answer(Call call) throws HttpException, InterruptedException;

    /**
     * A granted request.
     *
     * @param arguments the headers, and the arguments of the query that no header repeats
     * @param decision the permission of the client
     * @param requester returns the author; for requests that may change something
     */
    record Call(HttpRequest request, HttpHeaders arguments, AccessDecision decision, BodyBudget.Share share,
            Supplier<Requester> requester) {}
}
