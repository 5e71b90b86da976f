package dev.weir.trap.decision;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashKind;
import dev.weir.hash.Skip;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.OverloadedException;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.scan.Submitter;
import dev.weir.scan.mail.MailHeaders;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.trap.campaign.CampaignStore;
import dev.weir.trap.campaign.CampaignStoreException;
import dev.weir.trap.campaign.Sighting;
import dev.weir.trap.settings.TrapPolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The decision about mails of traps. Thread-safe; a call takes as long as the storages need to answer. */
public final class TrapDecider {
    private static final Logger LOG = LoggerFactory.getLogger(TrapDecider.class);

    /** The credential in the audit trail. */
    private static final String CREDENTIAL = "trap";
    private static final int PATIENCE_SECONDS = 30;
    /** Mails that are hashed at a time: hashing one takes many times its size in memory. */
    private static final int AT_ONCE = 16;
    /** Locks that keep two mails of one campaign from teaching the same weight twice. */
    private static final int LOCKS = 64;

    private final FuzzyCheck client;
    private final CampaignStore store;
    private final TrapCounters counters;
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final Object[] locks = new Object[LOCKS];
    private volatile TrapPolicy policy;

    /** Creates the decision for a client, which learns, and a store, which remembers. Both stay open. */
    public TrapDecider(FuzzyCheck client, CampaignStore store, TrapCounters counters, TrapPolicy policy) {
        this.client = client;
        this.store = store;
        this.counters = counters;
        this.policy = policy;
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /** Replaces the policy. Mails in progress keep theirs. */
    public void reconfigure(TrapPolicy other) {
        policy = other;
    }

    /**
     * An outcome.
     *
     * @param reason one sentence; empty if the outcome says it all
     */
    private record Decided(TrapOutcome outcome, String reason) {}

    /** A mail with what the decision needs to know about it. */
    private record Subject(TrapMail mail, MailHeaders headers, Optional<InetAddress> host, TrapPolicy policy) {}

    /** Decides about a mail and learns it if its campaign has enough sources. What has been seen is on disk then. */
    public TrapOutcome take(TrapMail mail) throws InterruptedException {
        TrapPolicy inForce = policy;
        MailHeaders headers = MailHeaders.of(mail.bytes());
        Optional<InetAddress> host = SendingHost.of(mail.client(), headers, inForce.relays());
        Decided decided;
        if (places.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            try {
                decided = decide(new Subject(mail, headers, host, inForce));
            } finally {
                places.release();
            }
        } else {
            decided = new Decided(TrapOutcome.NOT_NOW, "too many mails at a time");
        }
        counters.count(decided.outcome());
        TrapLine.log(mail, host, decided.outcome(), decided.reason());
        return decided.outcome();
    }

    private Decided decide(Subject subject) throws InterruptedException {
        try {
            Optional<Decided> unwanted = origin(subject);
            if (unwanted.isPresent()) {
                return unwanted.get();
            }
            Optional<RuleSettings> rule = client.settings().rules().stream()
                    .filter(each -> each.mode().writes()
                            && each.score().flags().containsKey(subject.policy().flag()))
                    .findFirst();
            if (rule.isEmpty()) {
                return new Decided(TrapOutcome.NOT_LEARNABLE, "no rule learns flag " + subject.policy().flag());
            }
            AnalyzedMail analyzed = client.hasher().analyze(subject.mail().bytes());
            int words = words(analyzed);
            if (words < subject.policy().minWords()) {
                return new Decided(TrapOutcome.TOO_FEW_WORDS, words + " words");
            }
            Optional<FuzzyHash> text = longestText(analyzed, client.hasher().hash(analyzed, rule.get().hashing(),
                    Skip.NOTHING));
            if (text.isEmpty()) {
                return new Decided(TrapOutcome.TOO_FEW_WORDS, "no text is long enough for shingles");
            }
            Optional<Decided> refused = scan(subject);
            if (refused.isPresent()) {
                return refused.get();
            }
            return weigh(subject, text.get());
        } catch (NotHashedException e) {
            return new Decided(TrapOutcome.NOT_HASHED, String.valueOf(e.getMessage()));
        } catch (CampaignStoreException e) {
            LOG.error("a mail of a trap has to come again: {}", e.getMessage());
            return new Decided(TrapOutcome.STORE_FAILED, String.valueOf(e.getMessage()));
        }
    }

    private static Optional<Decided> origin(Subject subject) {
        TrapPolicy policy = subject.policy();
        if (subject.host().filter(policy.ownNetworks()::contains).isPresent()) {
            return Optional.of(new Decided(TrapOutcome.OWN_NETWORK, ""));
        }
        Optional<String> sender = subject.mail().sender()
                .or(() -> subject.headers().first("Return-Path").map(path -> path.replaceAll("[<>\\s]", "")));
        if (sender.filter(String::isEmpty).isPresent()) {
            return Optional.of(new Decided(TrapOutcome.BOUNCE, ""));
        }
        if (subject.headers().first("Auto-Submitted").filter(value -> !value.strip().equalsIgnoreCase("no"))
                .isPresent()) {
            return Optional.of(new Decided(TrapOutcome.AUTOMATIC, ""));
        }
        Optional<String> own = sender.map(address -> address.substring(address.lastIndexOf('@') + 1))
                .filter(domain -> isOwn(domain, policy))
                .or(() -> subject.headers().fromDomain().filter(domain -> isOwn(domain, policy)));
        return own.map(domain -> new Decided(TrapOutcome.OWN_SENDER, domain));
    }

    private static boolean isOwn(String domain, TrapPolicy policy) {
        return policy.ownDomains().contains(domain.toLowerCase(Locale.ROOT));
    }

    private static int words(AnalyzedMail mail) {
        return mail.parts().stream().mapToInt(part -> mail.wordCount(part.number())).max().orElse(0);
    }

    private static Optional<FuzzyHash> longestText(AnalyzedMail mail, List<FuzzyHash> hashes) {
        return hashes.stream().filter(hash -> hash.kind() == HashKind.TEXT && hash.hasShingles())
                .max(Comparator.comparingInt(hash -> mail.wordCount(hash.part())));
    }

    /** Returns why the storages or the rules forbid to learn the mail. */
    private Optional<Decided> scan(Subject subject) throws InterruptedException {
        Optional<ScanResult> answer = await(() -> client.check(subject.mail().bytes(), context(subject)));
        if (answer.isEmpty()) {
            return Optional.of(new Decided(TrapOutcome.NOT_NOW, "a scan took too long"));
        }
        ScanResult result = answer.get();
        if (result.whitelisted()) {
            return Optional.of(new Decided(TrapOutcome.WHITELISTED, ""));
        }
        Optional<FuzzyMatch> ham = result.matches().stream()
                .filter(match -> subject.policy().hamFlags().contains(match.flag()))
                .findFirst();
        if (ham.isPresent()) {
            return Optional.of(new Decided(TrapOutcome.NEAR_HAM, ham.get().symbol() + ", " + ham.get().type() + " "
                    + ham.get().found().substring(0, 16)));
        }
        if (!result.complete()) {
            return Optional.of(new Decided(TrapOutcome.NOT_NOW, result.failures().stream()
                    .map(ScanResult.UpstreamFailure::message).findFirst().orElse("not hashed")));
        }
        LearnRequest rehearsed = request(subject, 1, "");
        Optional<LearnReport> report = await(() -> client.rehearse(subject.mail().bytes(), rehearsed));
        if (report.isEmpty()) {
            return Optional.of(new Decided(TrapOutcome.NOT_NOW, "a rehearsal took too long"));
        }
        return report.get().failure().map(failure -> new Decided(TrapOutcome.NOT_LEARNABLE, failure.message()));
    }

    private Decided weigh(Subject subject, FuzzyHash text) throws CampaignStoreException, InterruptedException {
        TrapPolicy policy = subject.policy();
        Sighting sighting = store.see(text.shingles(), subject.mail().trap(),
                subject.host().map(SendingHost::network), Instant.now(),
                new CampaignStore.Bounds(policy.hold(), policy.maxCampaigns(), policy.enoughSources()));
        String seen = sighting.traps() + " traps, " + sighting.networks() + " networks";
        int deserved = policy.deserved(sighting.sources());
        if (deserved == 0) {
            return new Decided(TrapOutcome.HELD, seen);
        }
        synchronized (locks[Math.floorMod(sighting.campaign(), LOCKS)]) {
            int learned = Math.max(sighting.learned(), store.learned(sighting.campaign()));
            if (deserved <= learned) {
                return new Decided(TrapOutcome.KNOWN, seen);
            }
            LearnRequest request = request(subject, deserved - learned, seen);
            Optional<LearnReport> report = await(() -> client.learn(subject.mail().bytes(), request));
            if (report.isEmpty()) {
                return new Decided(TrapOutcome.NOT_NOW, "learning took too long");
            }
            Optional<Decided> failed = failure(report.get());
            if (failed.isPresent()) {
                return failed.get();
            }
            store.learned(sighting.campaign(), deserved);
            return new Decided(learned == 0 ? TrapOutcome.LEARNED : TrapOutcome.RAISED, seen + ", weight " + deserved);
        }
    }

    /** Returns why an update failed. One that waits in the retry queue is on disk and has not failed. */
    private static Optional<Decided> failure(LearnReport report) {
        if (report.success() || report.queued() > 0) {
            return Optional.empty();
        }
        LearnReport.Failure failure = report.failure().orElseThrow();
        TrapOutcome outcome = switch (failure.kind()) {
            case SKIPPED_BY_SERVER -> TrapOutcome.SKIP_LIST;
            case REFUSED -> TrapOutcome.REFUSED;
            case NO_ANSWER -> TrapOutcome.NOT_NOW;
            case NOT_HASHED -> TrapOutcome.NOT_HASHED;
            default -> TrapOutcome.NOT_LEARNABLE;
        };
        return Optional.of(new Decided(outcome, failure.message()));
    }

    private static ScanContext context(Subject subject) {
        return new ScanContext(subject.host().orElse(null), null, null, null, null,
                subject.mail().sender().orElse(null), subject.mail().recipients(), Map.of());
    }

    private static LearnRequest request(Subject subject, int weight, String seen) {
        Submitter submitter = new Submitter(subject.host().map(InetAddress::getHostAddress).orElse("unknown"),
                CREDENTIAL, subject.mail().trap() + " (" + seen + ")", subject.headers().messageId().orElse(""));
        return new LearnRequest(OptionalLong.of(subject.policy().flag()), Optional.empty(), weight, false,
                new Skip(!subject.policy().images(), false), context(subject), Optional.of(submitter));
    }

    /** Returns the answer; empty if it takes too long. */
    private static <T> Optional<T> await(Supplier<CompletableFuture<T>> work) throws InterruptedException {
        try {
            return Optional.of(work.get().get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OverloadedException) {
                return Optional.empty();
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
