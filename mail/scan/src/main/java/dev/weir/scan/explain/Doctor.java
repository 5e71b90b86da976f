package dev.weir.scan.explain;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.model.Digest;
import dev.weir.net.HostPort;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.StorageClient;
import dev.weir.scan.UpstreamException;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.key.PublicKey;

/**
 * A check of every precondition of learning and finding mails. It stores nothing: it tests write access by deleting a
 * hash that does not exist.
 */
public final class Doctor {
    private final Consumer<Finding> target;

    /**
     * One condition.
     *
     * @param state whether it holds
     * @param what the condition
     * @param advice what to do if it does not hold; empty otherwise
     */
    public record Finding(State state, String what, String advice) {}

    /** The result of a check. */
    public enum State {
        HOLDS, FAILS, UNTESTED
    }

    /** Creates a doctor who reports each finding as soon as it is known. */
    public Doctor(Consumer<Finding> target) {
        this.target = target;
    }

    /** Checks the rules and their servers. */
    public void settings(FuzzyCheckSettings settings) {
        say(settings.enabled(), "fuzzy_check is enabled", "set enabled = true in fuzzy_check");
        List<RuleSettings> writing = settings.rules().stream()
                .filter(rule -> rule.mode().writes()).toList();
        say(!writing.isEmpty(), "a rule may learn",
                "every rule is read-only: set read_only = false (or mode) in a rule whose storage is yours");
        for (RuleSettings rule : settings.rules()) {
            rule(rule);
        }
        algorithms(settings.rules());
    }

    private void rule(RuleSettings rule) {
        if (rule.mode().reads()) {
            servers(rule.name(), "checks", rule.readServers(), rule.readKey());
        }
        if (rule.mode().writes()) {
            servers(rule.name(), "updates", rule.writeServers(), rule.writeKey());
        }
    }

    private void servers(String rule, String use, UpstreamList servers, Optional<PublicKey> key) {
        for (UpstreamList.Entry entry : servers.entries()) {
            if (!(entry instanceof UpstreamList.Host host)) {
                target.accept(new Finding(State.UNTESTED, "storage " + entry.name() + " (rule " + rule + ", " + use
                        + ") is an SRV name; doctor does not test it", ""));
                continue;
            }
            String what = "storage " + host.name() + " (rule " + rule + ", " + use + ") answers"
                    + (key.isPresent() ? " encrypted requests" : "");
            try (StorageClient storage = open(host, key)) {
                long hashes = storage.count();
                say(true, what + " and holds " + hashes + (hashes == 1 ? " hash" : " hashes"), "");
            } catch (UpstreamException | IllegalArgumentException e) {
                say(false, what, e.getMessage() + advice(e));
            }
        }
    }

    private static StorageClient open(UpstreamList.Host host, Optional<PublicKey> key) throws UpstreamException {
        return StorageClient.open(new HostPort(host.host(), host.port()), key, Duration.ofSeconds(1), 3);
    }

    private static String advice(Exception e) {
        if (!(e instanceof UpstreamException failure)) {
            return "";
        }
        return switch (failure.kind()) {
            case NO_ANSWER ->
                ". Is it running? Does it listen on that address? Does a firewall pass UDP in both directions?"
                        + " If it requires encryption, is encryption_key set?";
            case WRONG_KEY -> ". encryption_key must be the public key of a keypair of the storage";
            case REFUSED -> ". Its log or weir control fuzzystat gives the reason";
        };
    }

    /** Compares the rules that ask the same storage: shingles of different algorithms or keys never meet. */
    private void algorithms(List<RuleSettings> rules) {
        for (int i = 0; i < rules.size(); i++) {
            for (RuleSettings other : rules.subList(i + 1, rules.size())) {
                RuleSettings rule = rules.get(i);
                if (shareStorage(rule, other) && !rule.hashing().makesShinglesOf(other.hashing())) {
                    say(false, "the rules " + rule.name() + " and " + other.name()
                            + " of one storage make the same shingles",
                            "they differ in algorithm or fuzzy_shingles_key, so neither finds texts similar to those "
                                    + "that the other learns");
                }
            }
        }
    }

    private static boolean shareStorage(RuleSettings one, RuleSettings other) {
        return Stream.of(one.readServers(), one.writeServers()).flatMap(list -> list.entries().stream())
                .map(UpstreamList.Entry::name)
                .anyMatch(name -> Stream.of(other.readServers(), other.writeServers())
                        .flatMap(list -> list.entries().stream()).anyMatch(entry -> entry.name().equals(name)));
    }

    /**
     * Looks for texts that a storage knows by their digest, but under other shingles.
     *
     * @param mail a mail that was learned
     */
    public void likeness(FuzzyCheckSettings settings, MailHasher hasher, byte[] mail) {
        for (RuleSettings rule : settings.rules()) {
            if (!rule.mode().reads()) {
                continue;
            }
            List<FuzzyHash> hashes;
            try {
                hashes = hasher.hash(hasher.analyze(mail), rule.hashing(), Skip.NOTHING).stream()
                        .filter(FuzzyHash::hasShingles).toList();
            } catch (NotHashedException e) {
                return;
            }
            for (UpstreamList.Entry entry : rule.readServers().entries()) {
                if (entry instanceof UpstreamList.Host host) {
                    likeness(rule, host, hashes);
                }
            }
        }
    }

    private void likeness(RuleSettings rule, UpstreamList.Host host, List<FuzzyHash> hashes) {
        try (StorageClient storage = open(host, rule.readKey())) {
            for (FuzzyHash hash : hashes) {
                storage.findsByLikeness(hash).ifPresent(found -> say(found,
                        "storage " + host.name() + " finds part " + hash.part() + " of the mail by its shingles (rule "
                                + rule.name() + ")",
                        "it knows the text by its digest, but under other shingles: the rule that learned it has "
                                + "another algorithm or fuzzy_shingles_key (weir without a configuration uses "
                                + "mumhash, a rule that names none uses siphash)"));
            }
        } catch (UpstreamException | IllegalArgumentException e) {
            // That the storage does not answer is reported already.
            return;
        }
    }

    /**
     * Checks whether a rule may write to its servers.
     *
     * @param flag the list to learn to
     */
    public void mayWrite(FuzzyCheck rules, int flag) {
        byte[] digest = new byte[64];
        new SecureRandom().nextBytes(digest);
        LearnReport report = rules.forget(List.of(Digest.of(digest)), flag).join();
        if (report.rules().isEmpty()) {
            say(false, "a rule has the flag " + flag, report.failure().map(LearnReport.Failure::message).orElse("")
                    + ": no writable rule has it in its fuzzy_map");
            return;
        }
        say(true, "a rule has the flag " + flag, "");
        for (LearnReport.RuleOutcome rule : report.rules()) {
            for (LearnReport.ServerOutcome server : rule.servers()) {
                say(server.status() == LearnReport.Status.CONFIRMED,
                        "rule " + rule.rule() + " may write to " + server.server(), switch (server.status()) {
                            case CONFIRMED -> "";
                            case REFUSED -> "it refused with " + server.code()
                                    + ": allow_update of the storage must contain this machine's address, or"
                                    + " allow_update_keys the key, and the storage must not be read_only";
                            case NO_ANSWER -> "it did not answer";
                        });
            }
        }
    }

    private void say(boolean right, String what, String otherwise) {
        target.accept(new Finding(right ? State.HOLDS : State.FAILS, what, right ? "" : otherwise));
    }
}
