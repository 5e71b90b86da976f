package dev.weir.http.data;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.weir.http.access.Requester;
import dev.weir.http.controller.Endpoint;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpHeaders;
import dev.weir.model.Digest;
import dev.weir.model.Network;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.trail.TrailFilter;

/**
 * The arguments of a request, from the query of a path on HTTP or on the control socket.
 *
 * @param by returns the operator; for requests that change something
 */
public record Arguments(Function<String, Optional<String>> source, Supplier<UpdateSubmitter> by) {
    private static final int LONGEST = 1_000;

    /** Returns the arguments of a request over HTTP. */
    static Arguments of(Endpoint.Call call) {
        HttpHeaders query = call.request().query();
        return new Arguments(query::first, () -> {
            Requester requester = call.requester().get();
            return new UpdateSubmitter(requester.client(), requester.credential(), query.first("operator").orElse(""),
                    "");
        });
    }

    /** Returns the arguments of a query on the control socket. */
    public static Arguments of(Map<String, String> query) {
        return new Arguments(name -> Optional.ofNullable(query.get(name)),
                () -> new UpdateSubmitter("127.0.0.1", "control socket", query.getOrDefault("operator", ""), ""));
    }

    /** Returns whether there is an argument, even an empty one. */
    public boolean has(String name) {
        return source.apply(name).isPresent();
    }

    /** @throws HttpException if the text is too long */
    Optional<String> text(String name) throws HttpException {
        return text(name, LONGEST);
    }

    private Optional<String> text(String name, int longest) throws HttpException {
        Optional<String> text = source.apply(name).map(String::strip).filter(value -> !value.isEmpty());
        if (text.isPresent() && text.get().length() > longest) {
            throw new HttpException(400, name + " is too long");
        }
        return text;
    }

    /**
     * Returns a number.
     *
     * @throws HttpException if it is none, or outside the range
     */
    Optional<Long> number(String name, long least, long most) throws HttpException {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            long number = Long.parseLong(text.get());
            if (number >= least && number <= most) {
                return Optional.of(number);
            }
        } catch (NumberFormatException e) {
            // The same answer as for a number outside the range.
        }
        throw new HttpException(400, name + " must be a number from " + least + " to " + most);
    }

    /** @throws HttpException if the text is no time such as {@code 2026-07-31T16:30:00Z} */
    Optional<Instant> time(String name) throws HttpException {
        Optional<String> text = text(name);
        try {
            return text.map(Instant::parse);
        } catch (DateTimeParseException e) {
            throw new HttpException(400, name + " must be a time such as 2026-07-31T16:30:00Z");
        }
    }

    /** @throws HttpException if the text is neither an address nor a network */
    Optional<Network> network(String name) throws HttpException {
        Optional<String> text = text(name);
        try {
            return text.map(Network::of);
        } catch (IllegalArgumentException e) {
            throw new HttpException(400, name + " must be an address or a network such as 192.0.2.0/24");
        }
    }

    /** @throws HttpException if one of the texts, separated by commas, is no digest of 128 digits */
    List<Digest> digests(String name) throws HttpException {
        List<Digest> digests = new ArrayList<>();
        for (String text : text(name, Integer.MAX_VALUE).map(all -> all.split(",", -1)).orElse(new String[0])) {
            digests.add(Digest.parse(text.strip())
                    .orElseThrow(() -> new HttpException(400, "a digest has 128 hexadecimal digits")));
        }
        return digests;
    }

    /** @throws HttpException if a condition is malformed */
    TrailFilter filter() throws HttpException {
        long after = number("after", -1, Long.MAX_VALUE).orElse(-1L);
        long upTo = number("revision", 0, Long.MAX_VALUE).orElse(Long.MAX_VALUE);
        long since = time("since").map(Instant::toEpochMilli).orElse(Long.MIN_VALUE);
        long until = time("until").map(Instant::toEpochMilli).orElse(Long.MAX_VALUE);
        Optional<Network> from = network("from");
        Optional<String> user = text("user");
        Optional<String> mail = text("mail");
        Optional<String> key = text("key");
        Optional<Long> flag = number("flag", 0, 0xffff_ffffL);
        return new TrailFilter(after, upTo, since, until, from, user, mail, key,
                flag.isPresent() ? OptionalInt.of((int) (long) flag.get()) : OptionalInt.empty(), beginning("digest"));
    }

    /** @throws HttpException if the text is not the beginning of a digest */
    private String beginning(String name) throws HttpException {
        String text = text(name).orElse("").toLowerCase(Locale.ROOT);
        if (!text.matches("[0-9a-f]{0,128}")) {
            throw new HttpException(400, name + " must be the beginning of a digest: hexadecimal digits");
        }
        return text;
    }
}
