package dev.weir.trap.decision;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import dev.weir.hash.url.PublicSuffixes;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.mail.AuthenticationResults;
import dev.weir.scan.pool.ScanLane;
import dev.weir.trap.campaign.CampaignDatabase;
import dev.weir.trap.campaign.CampaignDatabaseException;
import dev.weir.trap.campaign.CampaignSource;
import dev.weir.trap.campaign.Purpose;
import dev.weir.trap.settings.ComplaintSettings;
import dev.weir.trap.settings.TrapPolicy;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.settings.WantedSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The decision about mails of traps, reports of users and wanted mail. Thread-safe; a call takes as long as the
 * storages need to answer.
 */
public final class TrapDecider {
    private static final Logger LOG = LoggerFactory.getLogger(TrapDecider.class);

    private static final int PATIENCE_SECONDS = 30;
    /** Mails that are decided at a time. */
    private static final int AT_ONCE = 16;

    private final CampaignDatabase store;
    private final TrapCounters counters;
    private final Examination examination;
    private final CampaignLearner teacher;
    private final ComplaintVotes votes;
    private final Semaphore places = new Semaphore(AT_ONCE);
    private volatile TrapSettings settings;

    /**
     * Creates the decision for a client, which learns, and a store, which remembers. Both stay open.
     *
     * @param lane the threads that hash mails
     */
    public TrapDecider(FuzzyCheck client, ScanLane lane, CampaignDatabase store, TrapCounters counters,
            TrapSettings settings) {
        this.store = store;
        this.counters = counters;
        this.settings = settings;
        this.teacher = new CampaignLearner(client, lane, store);
        this.examination = new Examination(client, lane, teacher);
        this.votes = new ComplaintVotes(store, examination, teacher);
    }

    /** Replaces the settings. Mails in progress keep theirs. */
    public void reconfigure(TrapSettings others) {
        settings = others;
    }

    /**
     * Decides about a mail and learns it if that is due. What has been seen is on disk then. A report about several
     * mails has an outcome for each.
     *
     * @return the first outcome for which the mail has to come again, otherwise the first outcome
     */
    public Decided take(TrapMail mail) throws InterruptedException {
        TrapSettings now = settings;
        List<Decided> decided = new ArrayList<>();
        if (places.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            try {
                decided.addAll(decide(mail, now));
            } catch (CampaignDatabaseException e) {
                LOG.error("a trap mail was deferred: {}", e.getMessage());
                decided.add(new Decided(TrapOutcome.STORE_FAILED, String.valueOf(e.getMessage())));
            } catch (OutOfMemoryError e) {
                // It says nothing about this mail, which comes again.
                throw e;
            } catch (RuntimeException | Error e) {
                // A reader of a folder goes on with the next mail: this one would fail again and again.
                LOG.error("a mail of {} could not be decided because of a bug", mail.trap(), e);
                decided.add(new Decided(TrapOutcome.FAILED, "a bug; the log has the details"));
            } finally {
                places.release();
            }
        } else {
            decided.add(new Decided(TrapOutcome.NOT_NOW, "too many mails at a time"));
        }
        decided.forEach(each -> note(mail, each));
        return decided.stream().filter(each -> each.outcome().isTemporary()).findFirst().orElse(decided.getFirst());
    }

    /**
     * Notes a mail that is too large to be taken.
     *
     * @param mail the mail, or its beginning
     */
    public void tooLarge(TrapMail mail) {
        note(mail, Decided.of(TrapOutcome.TOO_LARGE));
    }

    private void note(TrapMail mail, Decided decided) {
        counters.count(decided.outcome());
        TrapLine.log(mail, settings.policy().relays(), decided.outcome(), decided.reason());
    }

    private List<Decided> decide(TrapMail mail, TrapSettings now)
            throws CampaignDatabaseException, InterruptedException {
        return switch (mail.purpose()) {
            case TRAP -> List.of(trap(ExaminedMail.of(mail, now.policy()), mail.trap()));
            case COMPLAINT, KEEP -> {
                Optional<ComplaintSettings> complaints = now.complaints();
                yield complaints.isEmpty()
                        ? List.of(new Decided(TrapOutcome.NOT_LEARNABLE, "no complaints are taken"))
                        : votes.take(mail, now.policy(), complaints.get());
            }
            case WANTED -> {
                Optional<WantedSettings> wanted = now.wanted();
                yield List.of(wanted.isEmpty()
                        ? new Decided(TrapOutcome.NOT_LEARNABLE, "no wanted mail is taken")
                        : wanted(ExaminedMail.of(mail, now.policy()), mail, wanted.get()));
            }
        };
    }

    private Decided trap(ExaminedMail subject, String trap) throws CampaignDatabaseException, InterruptedException {
        TrapPolicy policy = subject.policy();
        return switch (examination.unwanted(subject, policy.flag())) {
            case Examination.Finding.Unfit(Decided why) -> why;
            case Examination.Finding.Fit fit -> {
                List<CampaignSource> sources = new ArrayList<>(
                        List.of(new CampaignSource(CampaignSource.Kind.TRAP, trap)));
                subject.host().map(SendingHost::network)
                        .ifPresent(network -> sources.add(new CampaignSource(CampaignSource.Kind.NETWORK, network)));
                long campaign = store.see(fit.text().shingles(), sources, Instant.now(),
                        new CampaignDatabase.Bounds(policy.hold(), policy.maxCampaigns(), policy.enoughSources()));
                yield teacher
                        .teach(subject, fit, campaign,
                                sighting -> new CampaignLearner.Lesson(Purpose.TRAP, policy.flag(),
                                        policy.deserved(sighting.sources()),
                                        Examination.count(sighting.traps(), "trap") + ", "
                                                + Examination.count(sighting.networks(), "network") + "; "
                                                + fit.rehearsal(),
                                        trap,
                                        true));
            }
        };
    }

    private Decided wanted(ExaminedMail subject, TrapMail mail, WantedSettings wanted)
            throws CampaignDatabaseException, InterruptedException {
        if (mail.wasDelivered() && !isProven(subject, wanted)) {
            return new Decided(TrapOutcome.NOT_WANTED, "neither an own user nor a signed sender");
        }
        TrapPolicy policy = subject.policy();
        return switch (examination.wanted(subject, wanted.flag())) {
            case Examination.Finding.Unfit(Decided why) -> why;
            case Examination.Finding.Fit fit -> {
                long campaign = store.see(fit.text().shingles(), List.of(), Instant.now(),
                        new CampaignDatabase.Bounds(policy.hold(), policy.maxCampaigns(), 1));
                yield teacher.teach(subject, fit, campaign,
                        _ -> new CampaignLearner.Lesson(Purpose.WANTED, wanted.flag(),
                                wanted.weight(), fit.rehearsal(), mail.trap(), true));
            }
        };
    }

    /** Returns whether a mail comes from an own user, or from a sender whose mail is wanted. */
    private static boolean isProven(ExaminedMail subject, WantedSettings wanted) {
        return subject.sending().filter(SendingHost::authenticated).isPresent()
                || subject.host().filter(subject.policy().ownNetworks()::contains).isPresent()
                || AuthenticationResults.alignedDomain(subject.headers(), wanted.trustedHosts(),
                        PublicSuffixes.standard()).filter(wanted.senders()::contains).isPresent();
    }

}
