package dev.weir.trap.decision;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.Skip;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnReport;
import dev.weir.scan.ScanResult;
import dev.weir.scan.pool.ScanLane;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.trap.report.AbuseReport;
import dev.weir.trap.report.AutomaticMail;
import dev.weir.trap.settings.TrapPolicy;

/** The look at a mail before anything is learned from it (docs/integrate/traps.md#decisions). */
final class Examination {
    private final FuzzyCheck client;
    private final ScanLane lane;
    private final CampaignLearner teacher;

    Examination(FuzzyCheck client, ScanLane lane, CampaignLearner teacher) {
        this.client = client;
        this.lane = lane;
        this.teacher = teacher;
    }

    /** The finding about a mail. */
    sealed interface Finding {
        /** The mail may not be learned. */
        record Unfit(Decided why) implements Finding {}

        /**
         * The mail may be learned.
         *
         * @param text the hash of its longest text
         * @param digests all hashes that would be learned
         * @param rehearsal what learning it would touch, in words
         */
        record Fit(FuzzyHash text, List<Digest> digests, String rehearsal) implements Finding {}
    }

    /** Examines a mail that its source reports as unwanted. */
    Finding unwanted(ExaminedMail subject, long flag) throws InterruptedException {
        Optional<Decided> origin = origin(subject);
        return origin.isPresent() ? new Finding.Unfit(origin.get()) : scanned(subject, flag, false);
    }

    /** Examines a mail that its source reports as wanted. */
    Finding wanted(ExaminedMail subject, long flag) throws InterruptedException {
        Optional<Decided> automatic = automatic(subject);
        return automatic.isPresent() ? new Finding.Unfit(automatic.get()) : scanned(subject, flag, true);
    }

    /** Examines a mail that a user wants to keep. Sends no request. */
    Finding kept(ExaminedMail subject, long flag) throws InterruptedException {
        Optional<Decided> automatic = automatic(subject);
        return automatic.isPresent() ? new Finding.Unfit(automatic.get()) : text(subject, flag);
    }

    private Finding scanned(ExaminedMail subject, long flag, boolean isWanted) throws InterruptedException {
        return switch (text(subject, flag)) {
            case Finding.Unfit unfit -> unfit;
            case Finding.Fit fit -> scan(subject, flag, isWanted, fit.text());
        };
    }

    /** Reads a report of a user; empty if too many mails wait. */
    Optional<AbuseReport> report(TrapMail mail) throws InterruptedException {
        return CampaignLearner.await(lane.compute(mail.bytes().length, () -> AbuseReport.read(mail.bytes())));
    }

    /** Finds the hash that identifies the campaign of a mail. Sends no request. */
    Finding text(ExaminedMail subject, long flag) throws InterruptedException {
        return CampaignLearner.await(lane.compute(subject.bytes().length, () -> hash(subject, flag)))
                .orElseGet(() -> unfit(TrapOutcome.NOT_NOW, "too many mails wait, or hashing took too long"));
    }

    private Finding hash(ExaminedMail subject, long flag) {
        try {
            Optional<RuleSettings> rule = client.settings().rules().stream()
                    .filter(each -> each.mode().writes() && each.score().flags().containsKey(flag))
                    .findFirst();
            if (rule.isEmpty()) {
                return unfit(TrapOutcome.NOT_LEARNABLE, "no rule learns flag " + flag);
            }
            AnalyzedMail analyzed = client.hasher().analyze(subject.bytes());
            int words = analyzed.parts().stream().mapToInt(part -> analyzed.wordCount(part.number())).max().orElse(0);
            if (words < subject.policy().minWords()) {
                return unfit(TrapOutcome.TOO_FEW_WORDS, words + " words");
            }
            List<FuzzyHash> hashes = client.hasher().hash(analyzed, rule.get().hashing(), Skip.NOTHING);
            Optional<FuzzyHash> text = hashes.stream()
                    .filter(hash -> hash.kind() == HashKind.TEXT && hash.hasShingles())
                    .max(Comparator.comparingInt(hash -> analyzed.wordCount(hash.part())));
            return text.isEmpty()
                    ? unfit(TrapOutcome.TOO_FEW_WORDS, "no text is long enough for shingles")
                    : new Finding.Fit(text.get(), List.of(), "");
        } catch (NotHashedException e) {
            return unfit(TrapOutcome.NOT_HASHED, String.valueOf(e.getMessage()));
        }
    }

    private static Finding unfit(TrapOutcome outcome, String reason) {
        return new Finding.Unfit(new Decided(outcome, reason));
    }

    private static Optional<Decided> origin(ExaminedMail subject) {
        TrapPolicy policy = subject.policy();
        if (subject.host().filter(policy.ownNetworks()::contains).isPresent()) {
            return Optional.of(Decided.of(TrapOutcome.OWN_NETWORK));
        }
        Optional<Decided> automatic = automatic(subject);
        if (automatic.isPresent()) {
            return automatic;
        }
        Optional<String> own = sender(subject).map(address -> address.substring(address.lastIndexOf('@') + 1))
                .filter(domain -> isOwn(domain, policy))
                .or(() -> subject.headers().fromDomain().filter(domain -> isOwn(domain, policy)));
        return own.map(domain -> new Decided(TrapOutcome.OWN_SENDER, domain));
    }

    private static Optional<Decided> automatic(ExaminedMail subject) {
        return AutomaticMail.of(subject.bytes(), subject.sender()).map(Examination::ofAutomatic);
    }

    /** Returns the outcome of a mail that a program sent. */
    static Decided ofAutomatic(AutomaticMail kind) {
        return switch (kind) {
            case BOUNCE -> new Decided(TrapOutcome.BOUNCE, "a mail server sent it about another mail");
            case ANSWER -> new Decided(TrapOutcome.AUTOMATIC, "a program sent it: a receipt, an answer or a notice");
        };
    }

    private static Optional<String> sender(ExaminedMail subject) {
        return subject.sender()
                .or(() -> subject.headers().first("Return-Path").map(path -> path.replaceAll("[<>\\s]", "")));
    }

    private static boolean isOwn(String domain, TrapPolicy policy) {
        return policy.ownDomains().contains(domain.toLowerCase(Locale.ROOT));
    }

    private Finding scan(ExaminedMail subject, long flag, boolean isWanted, FuzzyHash text)
            throws InterruptedException {
        Optional<ScanResult> answer = CampaignLearner.await(lane.submit(subject.bytes().length,
                () -> client.check(subject.bytes(), subject.context())));
        if (answer.isEmpty()) {
            return unfit(TrapOutcome.NOT_NOW, "a scan took too long");
        }
        ScanResult result = answer.get();
        if (result.notHashed().isPresent()) {
            return unfit(TrapOutcome.NOT_HASHED, result.notHashed().get());
        }
        if (result.whitelisted() && !isWanted) {
            return unfit(TrapOutcome.WHITELISTED, "");
        }
        List<Long> ham = subject.policy().hamFlags();
        Optional<FuzzyMatch> other = result.matches().stream()
                .filter(match -> ham.contains(match.flag()) != isWanted)
                .findFirst();
        if (other.isPresent()) {
            return unfit(isWanted ? TrapOutcome.NEAR_SPAM : TrapOutcome.NEAR_HAM, near(other.get()));
        }
        if (!result.complete()) {
            return unfit(TrapOutcome.NOT_NOW, result.failures().stream().map(ScanResult.UpstreamFailure::message)
                    .findFirst().orElse("no answer"));
        }
        Optional<LearnReport> report = teacher.rehearse(subject, flag);
        if (report.isEmpty()) {
            return unfit(TrapOutcome.NOT_NOW, "a rehearsal took too long");
        }
        Optional<LearnReport.Failure> failure = report.get().failure();
        if (failure.isPresent()) {
            return unfit(TrapOutcome.NOT_LEARNABLE, failure.get().message());
        }
        return new Finding.Fit(text, report.get().digests(), count(report.get().digests().size(), "hash") + ", near "
                + result.matches().stream().findFirst().map(Examination::near).orElse("none"));
    }

    /** Returns a count with its noun, such as "1 hash" or "2 traps". */
    static String count(int n, String noun) {
        return n + " " + noun + (n == 1 ? "" : noun.endsWith("h") ? "es" : "s");
    }

    private static String near(FuzzyMatch match) {
        return match.symbol() + " " + Math.round(match.probability() * 100) + "% " + match.type();
    }
}
