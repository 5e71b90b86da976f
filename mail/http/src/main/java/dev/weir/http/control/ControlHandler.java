package dev.weir.http.control;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpBody;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHead;
import dev.weir.http.message.HttpHeaders;
import dev.weir.http.message.HttpReply;
import dev.weir.http.server.Client;
import dev.weir.http.server.HttpHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The handler that runs the commands of a control socket. */
final class ControlHandler implements HttpHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ControlHandler.class);

    private final Map<String, ControlAction> commands;

    ControlHandler(Map<String, ControlAction> commands) {
        this.commands = Map.copyOf(commands);
    }

    @Override
    public HttpReply handle(HttpHead head, HttpBody body, Client client, BodyBudget.Share share)
            throws HttpException, IOException {
        // No command has a body, but clients may send an empty one.
        body.read(share);
        ControlAction command = commands.get(head.path());
        if (command == null) {
            return HttpReply.error(404, "Command not defined");
        }
        // HEAD must change nothing, and most commands do.
        if (!head.method().equals("GET") && !head.method().equals("POST")) {
            return HttpReply.error(405, "Use GET or POST").with("Allow", "GET, POST");
        }
        Map<String, String> query = new HashMap<>();
        for (HttpHeaders.Field field : head.query().fields()) {
            query.put(field.name(), field.value());
        }
        try {
            return command.run(query);
        } catch (RuntimeException e) {
            LOG.error("the control command {} failed", head.path(), e);
            return HttpReply.error(500, "the command failed; the log of the storage has the reason");
        }
    }
}
