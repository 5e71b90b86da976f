package dev.weir.http.data;

import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.admin.KeyAdmin;
import dev.weir.storage.admin.RefusedException;
import dev.weir.storage.admin.Setup;
import dev.weir.storage.server.StorageServer;
import dev.weir.wire.key.PublicKey;
import tools.jackson.core.JsonGenerator;

/** The requests about dynamic keys. No answer contains a secret. */
public final class KeyEndpoints {
    private static final int LONGEST_NAME = 200;
    private static final int MOST_FLAGS = 1_000;
    private static final double MOST_REQUESTS = 1e12;

    private final StorageServer storage;
    private final KeyAdmin keys;

    /** Creates the requests about the keys of a storage. */
    public KeyEndpoints(StorageServer storage, Setup setup) {
        this.storage = storage;
        this.keys = new KeyAdmin(storage, setup);
    }

    /** Returns the dynamic keys in their files. */
    public HttpReply list(Arguments arguments) {
        return list(Optional.empty());
    }

    private HttpReply list(Optional<PublicKey> about) {
        KeyAdmin.Listing listing = keys.list();
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeNumberProperty("time", storage.hashes().now());
            Json.strings(out, "files", listing.files().stream().map(Path::toString).toList());
            out.writeStringProperty("obstacle", listing.obstacle());
            about.ifPresent(key -> out.writeStringProperty("key", key.base32()));
            Json.objects(out, "keys", listing.keys(), entry -> key(out, entry));
        }));
    }

    private static void key(JsonGenerator out, KeyAdmin.Entry entry) {
        KeyRules rules = entry.key().rules();
        out.writeStringProperty("key", entry.key().pair().publicKey().base32());
        out.writeStringProperty("name", rules.name());
        out.writeStringProperty("email", rules.email());
        Json.strings(out, "operations", rules.allowed().stream().sorted().map(Operation::word).toList());
        if (rules.forbidden() != null) {
            Json.items(out, "hidden_flags", rules.forbidden().stream().mapToObj(Integer::toUnsignedLong).toList(),
                    out::writeNumber);
        }
        RateLimit limit = rules.limit();
        if (limit != null) {
            out.writeNumberProperty("burst", limit.burst());
            out.writeNumberProperty("rate", limit.rate());
        }
        if (rules.expires() != null) {
            out.writeStringProperty("expire", rules.expires().atZone(ZoneId.systemDefault()).toLocalDate().toString());
        }
        out.writeStringProperty("file", entry.file().toString());
        out.writeBooleanProperty("in_force", entry.inForce());
    }

    /**
     * Adds a dynamic key; with {@code key}, changes it; with {@code remove}, too, removes it. Arguments: {@code key},
     * {@code remove}, {@code name}, {@code email}, {@code operations}, {@code burst}, {@code rate}, {@code expire},
     * {@code hidden_flags}.
     */
    public HttpReply change(Arguments arguments) throws HttpException, RefusedException {
        boolean remove = arguments.text("remove").isPresent();
        Optional<String> name = arguments.text("key");
        if (name.isEmpty() && remove) {
            throw new HttpException(400, "key is missing: the public key to remove");
        }
        Optional<PublicKey> known = name.flatMap(PublicKey::parse);
        if (name.isPresent() && known.isEmpty()) {
            throw new HttpException(400, "key must be a public key in base32");
        }
        keys.requireFile();
        if (known.isEmpty()) {
            return list(Optional.of(keys.add(rules(arguments), arguments.by().get())));
        }
        if (remove) {
            keys.remove(known.get(), arguments.by().get());
        } else {
            keys.change(known.get(), rules(arguments), arguments.by().get());
        }
        return list(known);
    }

    private static KeyRules rules(Arguments arguments) throws HttpException {
        KeyRules rules = KeyRules.DEFAULT.withName(line(arguments, "name"), line(arguments, "email"))
                .withAllowed(operations(arguments).toArray(Operation[]::new));
        Optional<String> hidden = arguments.text("hidden_flags");
        if (hidden.isPresent()) {
            rules = rules.withForbidden(flags(hidden.get()));
        }
        double burst = amount(arguments, "burst");
        double rate = amount(arguments, "rate");
        if (burst > 0 != rate > 0) {
            throw new HttpException(400, "burst and rate belong together: give both, or neither");
        }
        rules = burst > 0 ? rules.withLimit(new RateLimit(burst, rate)) : rules;
        Optional<Instant> expires = day(arguments);
        return expires.isPresent() ? rules.withExpires(expires.get()) : rules;
    }

    private static String line(Arguments arguments, String name) throws HttpException {
        String text = arguments.text(name).orElse("");
        if (text.length() > LONGEST_NAME || text.codePoints().anyMatch(Character::isISOControl)) {
            throw new HttpException(400, name + " must be one line of at most " + LONGEST_NAME + " characters");
        }
        return text;
    }

    private static Set<Operation> operations(Arguments arguments) throws HttpException {
        Optional<String> text = arguments.text("operations");
        if (text.isEmpty()) {
            return EnumSet.of(Operation.READ);
        }
        Set<Operation> operations = EnumSet.noneOf(Operation.class);
        for (String word : text.get().split(",", -1)) {
            try {
                operations.add(Operation.valueOf(word.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new HttpException(400, "operations must be some of read, write and delete, with commas");
            }
        }
        return operations;
    }

    private static FlagSet flags(String text) throws HttpException {
        List<Integer> flags = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            try {
                flags.add(Integer.parseUnsignedInt(word.strip()));
            } catch (NumberFormatException e) {
                throw new HttpException(400, "hidden_flags must be flags with commas, such as 1,11");
            }
        }
        if (flags.size() > MOST_FLAGS) {
            throw new HttpException(400, "hidden_flags may have at most " + MOST_FLAGS + " flags");
        }
        return FlagSet.of(flags);
    }

    /** Returns a number above 0, or 0 if there is none. */
    private static double amount(Arguments arguments, String name) throws HttpException {
        Optional<String> text = arguments.text(name);
        if (text.isEmpty()) {
            return 0;
        }
        try {
            double number = Double.parseDouble(text.get());
            if (number > 0 && number <= MOST_REQUESTS) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The same answer as for a number outside the range.
        }
        throw new HttpException(400, name + " must be a number of requests above 0");
    }

    private static Optional<Instant> day(Arguments arguments) throws HttpException {
        try {
            return arguments.text("expire")
                    .map(text -> LocalDate.parse(text).atStartOfDay(ZoneId.systemDefault()).toInstant());
        } catch (DateTimeParseException e) {
            throw new HttpException(400, "expire must be a day such as 2027-01-31");
        }
    }
}
