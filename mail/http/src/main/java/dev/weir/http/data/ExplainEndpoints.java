package dev.weir.http.data;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.failure.Reason;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.explain.Comparison;
import dev.weir.scan.explain.Explanation;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.scan.score.ScoreOptions;
import dev.weir.storage.admin.HashSearch;
import dev.weir.storage.admin.RefusedException;
import dev.weir.storage.index.FlagThresholds;
import dev.weir.storage.index.StoredSignature;
import dev.weir.storage.server.StorageServer;
import tools.jackson.core.JsonGenerator;

/** The explanation of a mail: its parts and hashes by rule, each match with its score and origin, and comparisons. */
final class ExplainEndpoints {
    private static final int AT_ONCE = 2;
    private static final int PATIENCE_SECONDS = 30;

    private final StorageServer storage;
    private final FuzzyCheck client;
    private final HashSearch search;
    private final Semaphore room = new Semaphore(AT_ONCE);

    ExplainEndpoints(StorageServer storage, FuzzyCheck client) {
        this.storage = storage;
        this.client = client;
        this.search = new HashSearch(storage);
    }

    /** Returns the explanation of a mail. */
    HttpReply explain(byte[] mail) throws HttpException, InterruptedException {
        if (mail.length == 0) {
            throw new HttpException(400, "a mail is missing: send it as the body");
        }
        enter();
        try {
            ScanResult result = client.check(mail, ScanContext.NONE).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            Map<String, Explanation> explanations = new LinkedHashMap<>();
            for (RuleSettings rule : client.settings().rules()) {
                explanations.put(rule.name(), Explanation.of("", mail, client.hasher(), rule.hashing()));
            }
            Set<Digest> found = new HashSet<>();
            result.matches().forEach(match -> found.add(digest(match)));
            Map<Digest, HashSearch.KnownHash> known = new HashMap<>();
            search.known(found).forEach(hash -> known.put(hash.digest(), hash));
            return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
                rules(out, explanations, explanation -> explanation.write(out));
                result(out, result);
                Json.objects(out, "matches", result.matches(), match -> {
                    Explanation explanation = explanations.get(match.rule());
                    // The rules may have changed since the check.
                    match(out, match, result, explanation == null ? List.of() : explanation.hashes());
                    Json.object(out, "hash",
                            () -> HashEndpoints.hash(out, Objects.requireNonNull(known.get(digest(match)))));
                });
            }));
        } catch (NotHashedException e) {
            throw new HttpException(422, "The mail is not hashed: " + e.getMessage());
        } catch (RefusedException e) {
            throw DataRequest.refused(e);
        } catch (TimeoutException e) {
            throw new HttpException(503, "The storage did not answer in time");
        } catch (ExecutionException e) {
            throw new HttpException(503,
                    "The mail could not be checked: " + Reason.of(e.getCause() == null ? e : e.getCause()));
        } finally {
            room.release();
        }
    }

    /** Waits for a place, because an explanation costs far more than a scan. */
    private void enter() throws HttpException, InterruptedException {
        if (!room.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new HttpException(503, "Too many mails are explained at a time");
        }
    }

    private static Digest digest(FuzzyMatch match) {
        return Digest.parse(match.found()).orElseThrow();
    }

    private static <T> void rules(JsonGenerator out, Map<String, T> values, Consumer<T> writer) {
        Json.objects(out, "rules", values.entrySet(), value -> {
            out.writeStringProperty("rule", value.getKey());
            writer.accept(value.getValue());
        });
    }

    private static void result(JsonGenerator out, ScanResult result) {
        Json.number(out, "score", result.score());
        result.notHashed().ifPresent(reason -> out.writeStringProperty("not_hashed", reason));
        Json.objects(out, "symbols", result.symbols(), symbol -> {
            out.writeStringProperty("name", symbol.name());
            Json.number(out, "score", symbol.score());
            Json.number(out, "weight", symbol.weight());
            Json.strings(out, "options", symbol.options());
        });
        Json.strings(out, "failures", result.failures().stream()
                .map(failure -> "rule " + failure.rule() + ": " + failure.message()).toList());
    }

    private void match(JsonGenerator out, FuzzyMatch match, ScanResult result, List<FuzzyHash> hashes) {
        out.writeStringProperty("rule", match.rule());
        out.writeStringProperty("symbol", match.symbol());
        out.writeStringProperty("server", match.server());
        out.writeStringProperty("found", match.found());
        out.writeStringProperty("queried", match.queried());
        out.writeStringProperty("type", match.type());
        out.writeBooleanProperty("exact", match.exact());
        out.writeNumberProperty("flag", match.flag());
        out.writeNumberProperty("value", match.value());
        Json.number(out, "probability", match.probability());
        formula(out, match, result);
        shingles(out, match, hashes);
    }

    /** Writes each factor of the score, and what the mail would score if the hash were on the skip list. */
    private void formula(JsonGenerator out, FuzzyMatch match, ScanResult result) {
        Optional<ScoreOptions> rule = rule(match).map(RuleSettings::score);
        double weight = result.symbols().stream().filter(symbol -> symbol.name().equals(match.symbol()))
                .mapToDouble(symbol -> symbol.weight()).findFirst().orElse(0);
        Json.number(out, "score", match.score());
        Json.number(out, "weight", weight);
        rule.ifPresent(options -> {
            ScoreOptions.Mapping mapping = options.flags().get(match.flag());
            double limit = mapping == null ? options.hitsLimit() : mapping.limit();
            double base = options.curve().base(match.value(), limit);
            out.writeStringProperty("curve", options.curve().word());
            Json.number(out, "limit", limit);
            Json.number(out, "base", base);
            Json.number(out, "certainty", base == 0 ? 0 : match.score() / base);
        });
        double symbol = result.symbols().stream().filter(of -> of.name().equals(match.symbol()))
                .mapToDouble(of -> of.score()).findFirst().orElse(0);
        double others = result.matches().stream()
                .filter(other -> other.symbol().equals(match.symbol()) && !other.found().equals(match.found()))
                .mapToDouble(FuzzyMatch::score).reduce(0, (a, b) -> Math.abs(b) > Math.abs(a) ? b : a);
        Json.number(out, "without", result.score() - symbol + others * weight);
    }

    /**
     * Writes how many of the 32 shingles a near hash needed and, if the hash is in the storage of this process, which
     * of them are equal.
     */
    private void shingles(JsonGenerator out, FuzzyMatch match, List<FuzzyHash> hashes) {
        Optional<FuzzyHash> asked = hashes.stream()
                .filter(hash -> HexFormat.of().formatHex(hash.digest()).equals(match.queried()) && hash.hasShingles())
                .findFirst();
        if (asked.isEmpty()) {
            return;
        }
        if (!match.exact()) {
            rule(match).ifPresent(rule -> out.writeNumberProperty("needed", needed(rule, asked.get(), match.flag())));
        }
        StoredSignature stored = storage.hashes().index().signature(digest(match));
        if (stored == null) {
            return;
        }
        int equal = stored.slotsEqualTo(
                storage.hashes().index().signature(Signature.of(asked.get().shingles(), 0)));
        Json.items(out, "equal_shingles", IntStream.range(0, Signature.SLOTS)
                .filter(i -> ((equal >>> i) & 1) != 0).boxed().toList(), out::writeNumber);
    }

    /** Returns the threshold of a rule, or that of the storage for the flag, whichever is higher. */
    private int needed(RuleSettings rule, FuzzyHash hash, long flag) {
        int asked = rule.kinds().needed(hash.kind());
        return Math.max(asked,
                storage.access().answers().thresholds().of((int) flag, Math.min(asked, FlagThresholds.USUAL)));
    }

    private Optional<RuleSettings> rule(FuzzyMatch match) {
        return client.settings().rules().stream().filter(rule -> rule.name().equals(match.rule())).findFirst();
    }

    /**
     * Returns what two mails have in common under each rule.
     *
     * @param mails one mail directly behind the other
     */
    HttpReply compare(byte[] mails, Arguments arguments) throws HttpException, InterruptedException {
        int first = (int) (long) arguments.number("first", 1, Math.max(1, mails.length - 1L))
                .orElseThrow(() -> new HttpException(400, "first is missing: the length of the first mail in bytes"));
        if (mails.length < 2) {
            throw new HttpException(400, "two mails are missing: send them as the body, one behind the other");
        }
        byte[] one = Arrays.copyOf(mails, first);
        byte[] other = Arrays.copyOfRange(mails, first, mails.length);
        enter();
        try {
            Map<String, Comparison> comparisons = new LinkedHashMap<>();
            for (RuleSettings rule : client.settings().rules()) {
                comparisons.put(rule.name(),
                        Comparison.of(Explanation.of("", one, client.hasher(), rule.hashing()),
                                Explanation.of("", other, client.hasher(), rule.hashing()),
                                rule.kinds().answeredBy(rule.score().flags().keySet(),
                                        storage.access().answers().thresholds()::of)));
            }
            return HttpReply.ok(HttpReply.JSON, Json.object(
                    out -> rules(out, comparisons, comparison -> comparison.write(out))));
        } catch (NotHashedException e) {
            throw new HttpException(422, "The mail is not hashed: " + e.getMessage());
        } finally {
            room.release();
        }
    }
}
