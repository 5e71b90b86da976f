package dev.weir.http.control;

import java.util.Map;

import dev.weir.http.message.HttpReply;

/** A command of the control socket. Several threads may run it at once. */
@FunctionalInterface
public interface ControlAction {
    /**
     * Runs the command.
     *
     * @param query the parameters of the request, with names in lower case; the last value of a repeated one
     * @throws RuntimeException on any failure; the client gets an error, and the log the reason
     */
    HttpReply run(Map<String, String> query);
}
