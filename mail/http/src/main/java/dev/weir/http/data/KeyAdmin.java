package dev.weir.http.data;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
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
import java.util.stream.Collectors;

import dev.weir.config.map.MapAddress;
import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.access.FlagSet;
import dev.weir.storage.access.KeyRules;
import dev.weir.storage.access.Operation;
import dev.weir.storage.access.RateLimit;
import dev.weir.storage.access.ServerKey;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.settings.DynamicKeyFile;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/**
 * The dynamic keys: shown, added, changed and removed in the files of {@code dynamic_keys_map}. A secret is made here
 * and goes to the file; no answer and no message contains one, because clients need the public key only.
 */
final class KeyAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(KeyAdmin.class);
    private static final int LONGEST_NAME = 200;
    private static final int MOST_FLAGS = 1_000;
    private static final double MOST_REQUESTS = 1e12;

    private final StorageServer storage;
    private final Setup setup;

    KeyAdmin(StorageServer storage, Setup setup) {
        this.storage = storage;
        this.setup = setup;
    }

    /** A file of keys on this machine. */
    private record Place(Path path, DynamicKeyFile file) {}

    /** Returns the files that can be edited: those on this machine that need no signature. */
    private List<Place> places() {
        List<Place> places = new ArrayList<>();
        for (MapAddress address : setup.keyFiles().get()) {
            if (!address.isRemote() && !address.signed()) {
                try {
                    Path path = Path.of(address.location());
                    places.add(new Place(path, new DynamicKeyFile(path)));
                } catch (InvalidPathException e) {
                    LOG.debug("no file has the name {}", address.location(), e);
                }
            }
        }
        return places;
    }

    /** Returns why no key can be added; empty if one can. */
    private String obstacle(List<Place> places) {
        if (places.isEmpty()) {
            return setup.keyFiles().get().isEmpty()
                    ? "worker \"fuzzy\" names no file of dynamic keys: write dynamic_keys_map = "
                            + "\"/var/lib/weir/keys\" into it, put [] into that file, and reload"
                    : "the dynamic keys come from a web server or need a signature: edit them where they come from";
        }
        Place first = places.getFirst();
        return first.file().obstacle().map(why -> first.path() + " cannot be written: " + why).orElse("");
    }

    /** Answers with the keys in the files. */
    HttpReply show() {
        return show(Optional.empty());
    }

    private HttpReply show(Optional<PublicKey> about) {
        List<Place> places = places();
        record Shown(ServerKey key, Path path) {}
        List<Shown> all = new ArrayList<>();
        String unreadable = "";
        for (Place place : places) {
            try {
                place.file().keys().forEach(key -> all.add(new Shown(key, place.path())));
            } catch (StorageException e) {
                unreadable = String.valueOf(e.getMessage());
            }
        }
        String obstacle = unreadable.isEmpty() ? obstacle(places) : unreadable;
        Set<PublicKey> inForce = storage.access().dynamicKeys().stream().map(key -> key.pair().publicKey())
                .collect(Collectors.toSet());
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeNumberProperty("time", storage.hashes().now());
            out.writeArrayPropertyStart("files");
            places.forEach(place -> out.writeString(place.path().toString()));
            out.writeEndArray();
            out.writeStringProperty("obstacle", obstacle);
            about.ifPresent(key -> out.writeStringProperty("key", key.base32()));
            out.writeArrayPropertyStart("keys");
            all.forEach(shown -> key(out, shown.key(), shown.path(),
                    inForce.contains(shown.key().pair().publicKey())));
            out.writeEndArray();
        }));
    }

    private static void key(JsonGenerator out, ServerKey key, Path path, boolean inForce) {
        KeyRules rules = key.rules();
        out.writeStartObject();
        out.writeStringProperty("key", key.pair().publicKey().base32());
        out.writeStringProperty("name", rules.name());
        out.writeStringProperty("email", rules.email());
        out.writeArrayPropertyStart("operations");
        rules.allowed().stream().sorted().forEach(operation -> out.writeString(operation.word()));
        out.writeEndArray();
        FlagSet forbidden = rules.forbidden();
        if (forbidden != null) {
            out.writeArrayPropertyStart("hidden_flags");
            forbidden.stream().forEach(flag -> out.writeNumber(Integer.toUnsignedLong(flag)));
            out.writeEndArray();
        }
        RateLimit limit = rules.limit();
        if (limit != null) {
            out.writeNumberProperty("burst", limit.burst());
            out.writeNumberProperty("rate", limit.rate());
        }
        if (rules.expires() != null) {
            out.writeStringProperty("expire",
                    rules.expires().atZone(ZoneId.systemDefault()).toLocalDate().toString());
        }
        out.writeStringProperty("file", path.toString());
        out.writeBooleanProperty("in_force", inForce);
        out.writeEndObject();
    }

    /**
     * Adds a key; with {@code key}, gives that one these rules instead of its own; with {@code remove}, too, removes it
     * with its secret.
     *
     * @param by the operator
     */
    HttpReply change(Arguments arguments, UpdateSubmitter by) throws HttpException {
        boolean remove = arguments.text("remove").isPresent();
        Optional<String> name = arguments.text("key");
        if (name.isEmpty() && remove) {
            throw new HttpException(400, "key is missing: the public key to remove");
        }
        Optional<PublicKey> known = name.isEmpty()
                ? Optional.empty()
                : Optional.of(PublicKey.parse(name.get())
                        .orElseThrow(() -> new HttpException(400, "key must be a public key in base32")));
        PublicKey about;
        // Two administrators must not overwrite each other's changes.
        synchronized (setup) {
            List<Place> places = places();
            if (places.isEmpty()) {
                throw new HttpException(422, obstacle(places));
            }
            try {
                about = known.isPresent()
                        ? edit(places, known.get(), remove ? Optional.empty() : Optional.of(rules(arguments)))
                        : add(places.getFirst(), rules(arguments));
            } catch (StorageException e) {
                throw new HttpException(503, String.valueOf(e.getMessage()));
            }
        }
        LOG.info("the dynamic key {} was {} by {} ({}{})", about.base32(),
                remove ? "removed" : known.isPresent() ? "changed" : "added", by.client(), by.credential(),
                by.user().isEmpty() ? "" : ", user " + by.user());
        List<String> reasons = setup.refresh().get();
        if (!reasons.isEmpty()) {
            throw new HttpException(503, "the file has the change, but it is not in force: "
                    + String.join("; ", reasons));
        }
        return show(Optional.of(about));
    }

    private static PublicKey add(Place place, KeyRules rules) throws StorageException {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        place.file().add(pair, rules);
        return pair.publicKey();
    }

    /** Changes a key in the file that has it, or removes it without rules. */
    private static PublicKey edit(List<Place> places, PublicKey key, Optional<KeyRules> rules)
            throws StorageException, HttpException {
        for (Place place : places) {
            if (rules.isPresent() ? place.file().change(key, rules.get()) : place.file().remove(key)) {
                return key;
            }
        }
        throw new HttpException(404, "no file of dynamic keys has this key; someone may have removed it already");
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
