package dev.weir.trap.decision;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import dev.weir.hash.Skip;
import dev.weir.model.Digest;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.OverloadedException;
import dev.weir.scan.Submitter;
import dev.weir.scan.pool.ScanLane;
import dev.weir.trap.campaign.CampaignDatabase;
import dev.weir.trap.campaign.CampaignDatabaseException;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.campaign.Sighting;

/** Learns the mails of campaigns until their hashes have the weight that the sightings add up to. Thread-safe. */
final class CampaignLearner {
    private static final int PATIENCE_SECONDS = 30;
    /** Locks that keep two mails of one campaign from teaching the same weight twice. */
    private static final int LOCKS = 64;

    private final FuzzyCheck client;
    private final ScanLane lane;
    private final CampaignDatabase store;
    private final Object[] locks = new Object[LOCKS];

    CampaignLearner(FuzzyCheck client, ScanLane lane, CampaignDatabase store) {
        this.client = client;
        this.lane = lane;
        this.store = store;
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = new Object();
        }
    }

    /**
     * A lesson.
     *
     * @param deserved the weight that the campaign deserves
     * @param seen why, in words, for the audit trail and the log
     * @param name who reported it to whom, in words, for the audit trail
     * @param named whether the audit trail may name the mail
     */
    record Lesson(Purpose purpose, long flag, int deserved, String seen, String name, boolean named) {}

    /**
     * Gives a campaign the weight that it deserves. A mail that differs from those before it gets the whole weight, not
     * only what the others lack. Only complaints take weight back.
     *
     * @param lessons the lesson of what is known about the campaign by now: other mails may have come since this one
     *        was seen, and their weight must not be taken back
     */
    Decided teach(ExaminedMail subject, Examination.Finding.Fit fit, long campaign, Function<Sighting, Lesson> lessons)
            throws CampaignDatabaseException, InterruptedException {
        synchronized (locks[Math.floorMod(campaign, LOCKS)]) {
            Lesson lesson = lessons.apply(store.sighting(campaign));
            Map<Digest, Integer> taught = store.taught(campaign, lesson.purpose());
            int most = taught.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            boolean lower = lesson.deserved() < most && lesson.purpose() == Purpose.COMPLAINT;
            if (lesson.deserved() <= most && !lower) {
                return new Decided(most == 0 ? TrapOutcome.HELD : TrapOutcome.KNOWN, lesson.seen());
            }
            Optional<Decided> failed = lower ? forget(subject, campaign, lesson, taught) : Optional.empty();
            if (failed.isEmpty() && lesson.deserved() > 0) {
                int has = lower ? 0 : taught.getOrDefault(Digest.of(fit.text().digest()), 0);
                failed = learn(subject, fit, campaign, lesson, lesson.deserved() - has);
            }
            TrapOutcome outcome = lower
                    ? TrapOutcome.LOWERED
                    : most == 0 ? TrapOutcome.LEARNED : TrapOutcome.RAISED;
            return failed.orElse(new Decided(outcome, lesson.seen() + ", weight " + lesson.deserved()));
        }
    }

    private Optional<Decided> learn(ExaminedMail subject, Examination.Finding.Fit fit, long campaign, Lesson lesson,
            int weight) throws CampaignDatabaseException, InterruptedException {
        LearnRequest request = request(subject, lesson, weight);
        Optional<LearnReport> report = await(lane.submit(subject.bytes().length,
                () -> client.learn(subject.bytes(), request)));
        Optional<Decided> failed = report.isEmpty()
                ? Optional.of(new Decided(TrapOutcome.NOT_NOW, "learning took too long"))
                : failure(report.get());
        // A storage may refuse one hash and add the others. They have the weight now: without a note, each further copy
        // of the mail would add it again.
        boolean partly = failed.filter(decided -> !decided.outcome().isTemporary()).isPresent()
                && report.stream().anyMatch(CampaignLearner::hasChanged);
        if (failed.isEmpty() || partly) {
            List<Digest> digests = new ArrayList<>(report.orElseThrow().digests());
            digests.add(Digest.of(fit.text().digest()));
            store.taught(campaign, lesson.purpose(), digests, lesson.deserved());
        }
        return failed;
    }

    private static boolean hasChanged(LearnReport report) {
        return report.rules().stream().flatMap(rule -> rule.servers().stream())
                .anyMatch(server -> server.confirmed() > 0);
    }

    private Optional<Decided> forget(ExaminedMail subject, long campaign, Lesson lesson, Map<Digest, Integer> taught)
            throws CampaignDatabaseException, InterruptedException {
        Optional<LearnReport> report = await(client.forget(List.copyOf(taught.keySet()), lesson.flag(),
                Optional.of(submitter(subject, lesson))));
        Optional<Decided> failed = report.isEmpty()
                ? Optional.of(new Decided(TrapOutcome.NOT_NOW, "forgetting took too long"))
                : failure(report.get());
        if (failed.isEmpty()) {
            store.forgotten(campaign, lesson.purpose());
        }
        return failed;
    }

    /** Returns what learning a mail would do; empty if that takes too long. */
    Optional<LearnReport> rehearse(ExaminedMail subject, long flag) throws InterruptedException {
        LearnRequest request = request(subject, new Lesson(Purpose.TRAP, flag, 1, "", "", false), 1);
        return await(lane.submit(subject.bytes().length, () -> client.rehearse(subject.bytes(), request)));
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

    private static LearnRequest request(ExaminedMail subject, Lesson lesson, int weight) {
        return new LearnRequest(OptionalLong.of(lesson.flag()), Optional.empty(), weight, false,
                new Skip(!subject.policy().images(), false), subject.context(),
                Optional.of(submitter(subject, lesson)));
    }

    private static Submitter submitter(ExaminedMail subject, Lesson lesson) {
        return new Submitter(subject.host().map(InetAddress::getHostAddress).orElse("unknown"),
                lesson.purpose().word(), lesson.seen() + (lesson.name().isEmpty() ? "" : " at " + lesson.name()),
                lesson.named() ? subject.headers().messageId().orElse("") : "");
    }

    /** Returns the answer; empty if it takes too long, or if too many mails wait. */
    static <T> Optional<T> await(CompletableFuture<T> work) throws InterruptedException {
        try {
            return Optional.of(work.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            work.cancel(true);
            return Optional.empty();
        } catch (InterruptedException e) {
            work.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OverloadedException) {
                return Optional.empty();
            }
            throw new IllegalStateException(e.getCause());
        }
    }
}
