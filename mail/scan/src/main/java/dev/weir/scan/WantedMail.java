package dev.weir.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.scan.client.FuzzyClient;
import dev.weir.scan.client.Outcome;
import dev.weir.scan.client.Question;
import dev.weir.scan.client.ServerGroup;
import dev.weir.scan.mail.AuthenticationResults;
import dev.weir.scan.mail.MailHeaders;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.Protectors;
import dev.weir.wire.reply.Reply;

/**
 * The guards of the kinds beyond those of Rspamd against hits of wanted mail (docs/integrate/kinds.md#guards): what
 * wanted mail looks like is learned under keys of its own, and a hash that is near it neither counts nor is learned.
 */
final class WantedMail {
    private final FuzzyCheckSettings settings;
    private final MailHasher hasher;
    private final FuzzyClient client;
    private final Executor executor;

    /**
     * @param executor the executor that hashes: the thread that receives answers must not
     */
    WantedMail(FuzzyCheckSettings settings, MailHasher hasher, FuzzyClient client, Executor executor) {
        this.settings = settings;
        this.hasher = hasher;
        this.client = client;
        this.executor = executor;
    }

    /** The answer about one hash. */
    enum Answer {
        /** No wanted mail is near. */
        FREE("no wanted mail is near"),
        /** Learned wanted mail is near. */
        WANTED("it is near learned wanted mail"),
        /** The sender is an authenticated brand, whose templates spam copies. */
        BRAND("its sender is an authenticated brand"),
        /** No server answered. */
        UNKNOWN("no server told whether wanted mail is near");

        private final String reason;

        Answer(String reason) {
            this.reason = reason;
        }

        /** Returns the answer in words. */
        String reason() {
            return reason;
        }
    }

    /** Returns the hashes of a list that are of kinds beyond those of Rspamd. */
    static List<FuzzyHash> kindsOf(List<FuzzyHash> hashes) {
        return hashes.stream().filter(hash -> hash.kind().isBeyondRspamd()).toList();
    }

    /** Returns the flags of a rule that stand for wanted mail. */
    Set<Integer> flags(RuleSettings rule) {
        return Protectors.of(rule.score(), settings.symbols());
    }

    /**
     * Returns the domain of an authenticated sender whose mails are not learned, and not hit: that of From, or of a
     * platform that sends in the name of its user.
     */
    static Optional<String> exempt(RuleSettings rule, byte[] mail) {
        KindOptions kinds = rule.kinds();
        MailHeaders headers = MailHeaders.of(mail);
        PublicSuffixes suffixes = PublicSuffixes.standard();
        return AuthenticationResults.alignedDomain(headers, kinds.trustedHosts(), suffixes)
                .filter(kinds.brands()::contains)
                .or(() -> AuthenticationResults.alignedSender(headers, kinds.trustedHosts(), suffixes)
                        .filter(kinds.brands()::contains));
    }

    /**
     * Asks whether learned wanted mail is near.
     *
     * @param places the hashes to ask for, as places in the kinds of the mail in order
     * @return one answer for each place
     */
    CompletableFuture<List<Answer>> ask(RuleSettings rule, ServerGroup group, AnalyzedMail mail, Skip skip,
            List<Integer> places) {
        Set<Integer> protectors = flags(rule);
        if (protectors.isEmpty() || places.isEmpty()) {
            return CompletableFuture.completedFuture(places.stream().map(place -> Answer.FREE).toList());
        }
        return CompletableFuture.supplyAsync(() -> hash(rule, mail, skip), executor)
                .thenCompose(wanted -> wanted.isEmpty()
                        ? CompletableFuture.completedFuture(places.stream().map(place -> Answer.UNKNOWN).toList())
                        : ask(rule, group, places.stream().map(wanted.get()::get).toList(), protectors));
    }

    /** Returns the hashes under the keys for wanted mail; empty if the mail costs too much. */
    private Optional<List<FuzzyHash>> hash(RuleSettings rule, AnalyzedMail mail, Skip skip) {
        try {
            return Optional.of(hasher.wanted(mail, rule.hashing(), skip));
        } catch (NotHashedException e) {
            return Optional.empty();
        }
    }

    private CompletableFuture<List<Answer>> ask(RuleSettings rule, ServerGroup group, List<FuzzyHash> asked,
            Set<Integer> protectors) {
        List<Question> questions = asked.stream()
                .map(hash -> Question.check(hash.digest(), hash.shingles(), rule.kinds().needed(hash.kind()),
                        List.of()))
                .toList();
        return client.ask(group, questions).thenApply(outcomes -> {
            List<Answer> answers = new ArrayList<>();
            for (int i = 0; i < outcomes.size(); i++) {
                answers.add(answer(outcomes.get(i), rule.kinds().of(asked.get(i)).orElseThrow(), protectors));
            }
            return answers;
        });
    }

    private static Answer answer(Outcome outcome, KindOptions.Kind kind, Set<Integer> protectors) {
        Reply reply = outcome.reply();
        if (reply == null) {
            return Answer.UNKNOWN;
        }
        // The storage decides what is near: to be too careful costs only a hit.
        boolean wanted = reply.isMatch(1) && (stands(reply.flag(), reply.value(), kind, protectors)
                || reply.extras().stream().anyMatch(extra -> stands(extra.flag(), extra.value(), kind, protectors)));
        return wanted ? Answer.WANTED : Answer.FREE;
    }

    private static boolean stands(int flag, int value, KindOptions.Kind kind, Set<Integer> protectors) {
        return value > 0 && protectors.contains(flag - kind.flagOffset());
    }
}
