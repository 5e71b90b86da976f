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
     * Answers one request. Whether its client may ask is decided by the head, before the body is read.
     *
     * @param body is read by the handler, or not at all
     * @param share what the body and further large buffers are taken from
     * @throws HttpException if the answer is that error
     * @throws IOException if the connection ends while the body is read
     * @throws InterruptedException if the server stops
     */
    HttpReply handle(HttpHead head, HttpBody body, Client client, BodyBudget.Share share)
            throws HttpException, IOException, InterruptedException;
}
