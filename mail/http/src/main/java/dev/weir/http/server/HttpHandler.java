package dev.weir.http.server;

import java.io.IOException;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpReply;

/** A handler of requests. Many threads call it at once, and each call may block. */
@FunctionalInterface
public interface HttpHandler {
    /**
     * Answers one request. The head decides on access before the body is read.
     *
     * @param body the body, which the handler reads at most once
     * @param share the source of memory for the body and other large buffers
     * @throws HttpException if the reply is that error
     * @throws IOException if the connection ends while the body is read
     * @throws InterruptedException if the server stops
     */
    HttpReply handle(HttpHead head, HttpBody body, Client client, BodyBudget.Share share)
            throws HttpException, IOException, InterruptedException;
}
