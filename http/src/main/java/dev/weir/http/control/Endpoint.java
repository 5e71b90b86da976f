package dev.weir.http.control;

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
interface Endpoint {
    HttpReply answer(Call call) throws HttpException, InterruptedException;

    /**
     * A request that was let in.
     *
     * @param arguments its headers, and the arguments of its query where there is no such header
     * @param decision what it may do
     * @param requester says who made it; for requests that may change something
     */
    record Call(HttpRequest request, HttpHeaders arguments, AccessDecision decision, BodyBudget.Share share,
            Supplier<Requester> requester) {}
}
