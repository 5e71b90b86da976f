package dev.weir.http.server;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.HttpRequest;

/** What answers requests. Called from many threads at a time, each of which may block. */
@FunctionalInterface
public interface HttpHandler {
    /**
     * Answers one request.
     *
     * @param share what further large buffers are taken from
     * @throws HttpException if the answer is that error
     * @throws InterruptedException if the server stops
     */
    HttpReply handle(HttpRequest request, Client client, BodyBudget.Share share)
            throws HttpException, InterruptedException;
}
