package dev.weir.cli.control;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.TimeConverter;
import dev.weir.cli.socket.ControlClient;
import dev.weir.cli.socket.ControlSocketPlace;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.model.SafeText;
import dev.weir.model.failure.Reason;
import dev.weir.os.ProcessUser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** The options that name a running storage on this machine, and the requests to its control socket. */
public final class RunningStorage {
    @Option(names = {"-s",
        "--socket"}, paramLabel = "PATH",
            description = ControlSocketPlace.DESCRIPTION)
    private @Nullable Path socket;

    @Option(names = "--data", paramLabel = "DIR", description = DataOption.DESCRIPTION)
    private @Nullable Path data;

    @Option(names = {"-t",
        "--timeout"}, paramLabel = "TIME", converter = TimeConverter.class,
            description = "Time to wait for a reply (default: 60s).")
    private Duration timeout = Duration.ofSeconds(60);

    /**
     * Sends a request.
     *
     * @throws FailedException if the storage does not answer or refuses
     */
    JsonNode ask(String target) {
        Path place = ControlSocketPlace.of(socket, data);
        JsonNode reply;
        try {
            reply = new ControlClient(place, timeout).ask(target);
        } catch (IOException e) {
            throw new FailedException(ExitCode.NO_ANSWER, Reason.of(e));
        }
        String error = reply.path("error").asString("");
        if (!error.isEmpty()) {
            throw new FailedException(ExitCode.REFUSED, error);
        }
        return reply;
    }

    /** Returns a text as the value of an argument. */
    static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the argument that names the user of this process in the log of the storage. */
    static String operator() {
        return "operator=" + escaped(ProcessUser.name());
    }

    /** Returns a time of a reply as text. */
    static String time(JsonNode millis) {
        return Instant.ofEpochMilli(millis.asLong(0)).toString();
    }

    /** Returns the time that is left until an end, which is missing if there is none. */
    static String left(JsonNode end, JsonNode now) {
        if (end.isMissingNode()) {
            return "no end";
        }
        long seconds = Math.max(0, (end.asLong(0) - now.asLong(0) + 500) / 1000);
        Duration time = Duration.ofSeconds(seconds);
        return (time.toDays() > 1
                ? time.plusHours(12).toDays() + " days"
                : time.toMinutes() > 90
                        ? time.plusMinutes(30).toHours() + " h"
                        : seconds > 90 ? time.plusSeconds(30).toMinutes() + " min" : seconds + " s")
                + " left";
    }

    /** Returns a text from a client without the characters that must not reach a terminal. */
    static String clean(JsonNode text) {
        return SafeText.of(text.asString(""));
    }
}
