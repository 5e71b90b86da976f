package dev.weir.scan;

import java.net.InetAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.model.Digest;
import dev.weir.scan.client.FuzzyClient;
import dev.weir.scan.client.Outcome;
import dev.weir.scan.client.Question;
import dev.weir.scan.client.ServerGroup;
import dev.weir.scan.mail.MailHeaders;
import dev.weir.scan.outgoing.OutgoingSettings;
import dev.weir.scan.outgoing.OutgoingWaves;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.Answer;
import dev.weir.scan.score.MailScore;
import dev.weir.scan.score.SymbolResult;
import dev.weir.wire.command.Extension;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/** The check of mails under one configuration: hashes, requests, answers, scores (docs/reference/scanner.md). */
final class Checking {
    private final FuzzyCheckSettings settings;
    private final MailHasher hasher;
    private final FuzzyClient client;
    private final Map<String, ServerGroup> readers;
    private final Executor executor;
    private final Executor afterwards;
    private final WantedMail wanted;
    private final OutgoingWaves outgoing;
    private final InstantSource clock = InstantSource.system();

    /**
     * @param executor the executor that scores the answers
     * @param afterwards the executor that reads the mail again if the answers make it necessary
     * @param outgoing counts what local users send
     */
    Checking(FuzzyCheckSettings settings, MailHasher hasher, FuzzyClient client, Map<String, ServerGroup> readers,
            Executor executor, Executor afterwards, OutgoingWaves outgoing) {
        this.outgoing = outgoing;
        this.settings = settings;
        this.hasher = hasher;
        this.client = client;
        this.readers = Map.copyOf(readers);
        this.executor = executor;
        this.afterwards = afterwards;
        this.wanted = new WantedMail(settings, hasher, client, afterwards);
    }

    /** The hashes that a rule is about to query. */
    private record Hashed(RuleSettings rule, ServerGroup group, List<FuzzyHash> hashes) {}

    /** The hashes that a rule has queried, with their pending answers. */
    private record Asked(RuleSettings rule, ServerGroup group, List<FuzzyHash> hashes,
            CompletableFuture<List<Outcome>> outcomes) {
        /** Returns whether the answer to a hash of a kind beyond those of Rspamd is a hit. */
        boolean isKindHit(int place) {
            Reply reply = outcomes.join().get(place).reply();
            return reply != null && rule.kinds().of(hashes.get(place))
                    .filter(kind -> reply.isMatch(kind.threshold())).isPresent();
        }
    }

    CompletableFuture<ScanResult> check(byte[] mail, ScanContext context) {
        InetAddress ip = context.ip();
        if (ip != null && settings.whitelist().contains(ip)) {
            return CompletableFuture.completedFuture(new ScanResult(List.of(), 0, List.of(), List.of(),
                    List.of("address " + ip.getHostAddress() + " is whitelisted, no fuzzy hash is checked"),
                    List.of(), true));
        }
        AnalyzedMail analyzed;
        List<Hashed> hashed = new ArrayList<>();
        try {
            analyzed = hasher.analyze(mail);
            for (RuleSettings rule : settings.rules()) {
                ServerGroup group = readers.get(rule.name());
                if (rule.mode().reads() && group != null) {
                    hashed.add(new Hashed(rule, group, hasher.hash(analyzed, rule.hashing(), Skip.NOTHING)));
                }
            }
        } catch (NotHashedException e) {
            // Nothing has been sent so far, so no hash of this mail leaves the client.
            return CompletableFuture.completedFuture(ScanResult.unread(String.valueOf(e.getMessage())));
        }
        Optional<SymbolResult> outgoing = outgoing(context, hashed);
        List<Extension> sender = settings.rules().stream().anyMatch(RuleSettings::share)
                ? sender(mail, context)
                : List.of();
        List<Asked> asked = new ArrayList<>();
        for (Hashed rule : hashed) {
            if (!rule.hashes().isEmpty()) {
                asked.add(new Asked(rule.rule(), rule.group(), rule.hashes(),
                        client.ask(rule.group(), rule.hashes().stream()
                                .map(hash -> Question.check(hash.digest(), hash.shingles(),
                                        rule.rule().kinds().needed(hash.kind()),
                                        extensions(rule.rule(), hash, rule.rule().share() ? sender : List.of())))
                                .toList())));
            }
        }
        return CompletableFuture.allOf(asked.stream().map(Asked::outcomes).toArray(CompletableFuture[]::new))
                .thenComposeAsync(nothing -> result(mail, analyzed, asked), executor)
                .thenApply(result -> outgoing.map(result::with).orElse(result));
    }

    /** Counts the text of a mail of one of our own users. Every rule has the same texts, so one rule is enough. */
    private Optional<SymbolResult> outgoing(ScanContext context, List<Hashed> hashed) {
        String user = context.user();
        if (settings.outgoing().isEmpty() || user == null || user.isEmpty()) {
            return Optional.empty();
        }
        OutgoingSettings limit = settings.outgoing().get();
        List<FuzzyHash> texts = hashed.stream().map(Hashed::hashes).filter(all -> !all.isEmpty()).findFirst()
                .orElse(List.of());
        OptionalLong recipients = outgoing.count(limit, user, context.ip(), texts, context.recipients().size(),
                clock.millis());
        return recipients.isEmpty()
                ? Optional.empty()
                : Optional.of(new SymbolResult(limit.symbol(), "", limit.score(), 0, limit.score(),
                        List.of(recipients.getAsLong() + " recipients"), ""));
    }

    /** Asks the servers of every rule that checks for digests. The result has answers, but no scores. */
    CompletableFuture<ScanResult> find(List<Digest> digests) {
        List<Question> questions = digests.stream().map(digest -> Question.check(digest.toBytes())).toList();
        List<ScanResult.AskedHash> hashes = new ArrayList<>();
        List<ScanResult.UpstreamFailure> failures = new ArrayList<>();
        CompletableFuture<?> last = CompletableFuture.completedFuture(null);
        for (Map.Entry<String, ServerGroup> rule : readers.entrySet()) {
            last = last.thenCombine(client.ask(rule.getValue(), questions), (before, outcomes) -> {
                for (int i = 0; i < outcomes.size(); i++) {
                    hashes.add(new ScanResult.AskedHash(rule.getKey(), Optional.empty(), digests.get(i),
                            outcomes.get(i).reply()));
                    failure(rule.getKey(), outcomes.get(i)).ifPresent(failures::add);
                }
                return before;
            });
        }
        return last.thenApply(all -> new ScanResult(List.of(), 0, hashes, List.of(), List.of(), failures, false));
    }

    /** Asks whether wanted mail is near the hits of kinds beyond those of Rspamd, then scores the answers. */
    private CompletableFuture<ScanResult> result(byte[] bytes, AnalyzedMail mail, List<Asked> asked) {
        List<CompletableFuture<Map<Integer, WantedMail.Answer>>> guards = asked.stream()
                .map(rule -> guard(bytes, mail, rule)).toList();
        if (guards.stream().allMatch(CompletableFuture::isDone)) {
            return CompletableFuture.completedFuture(
                    result(mail, asked, guards.stream().map(CompletableFuture::join).toList()));
        }
        return CompletableFuture.allOf(guards.toArray(CompletableFuture[]::new)).thenApplyAsync(nothing -> result(mail,
                asked, guards.stream().map(CompletableFuture::join).toList()), executor);
    }

    /** Returns the hits of kinds by their place in the hashes of the rule, with the answer about wanted mail. */
    private CompletableFuture<Map<Integer, WantedMail.Answer>> guard(byte[] bytes, AnalyzedMail mail, Asked rule) {
        List<Integer> places = new ArrayList<>();
        List<Integer> kindPlaces = new ArrayList<>();
        int kinds = 0;
        for (int i = 0; i < rule.hashes().size(); i++) {
            if (rule.hashes().get(i).kind().isBeyondRspamd()) {
                if (rule.isKindHit(i)) {
                    places.add(i);
                    kindPlaces.add(kinds);
                }
                kinds++;
            }
        }
        if (places.isEmpty()) {
            return CompletableFuture.completedFuture(Map.of());
        }
        return CompletableFuture.supplyAsync(() -> WantedMail.exempt(rule.rule(), bytes), afterwards)
                .thenCompose(brand -> brand.isPresent()
                        ? CompletableFuture.completedFuture(
                                kindPlaces.stream().map(place -> WantedMail.Answer.BRAND).toList())
                        : wanted.ask(rule.rule(), rule.group(), mail, Skip.NOTHING, kindPlaces))
                .thenApply(answers -> {
                    Map<Integer, WantedMail.Answer> byPlace = new HashMap<>();
                    for (int i = 0; i < places.size(); i++) {
                        byPlace.put(places.get(i), answers.get(i));
                    }
                    return byPlace;
                });
    }

    private static Optional<ScanResult.UpstreamFailure> failure(String rule, Outcome outcome) {
        if (!outcome.trouble().isEmpty()) {
            return Optional.of(new ScanResult.UpstreamFailure(rule, outcome.silent(), outcome.trouble(), 0));
        }
        Reply reply = outcome.reply();
        int code = reply == null ? 0 : Refusals.ofCheck(reply);
        return code == 0
                ? Optional.empty()
                : Optional.of(new ScanResult.UpstreamFailure(rule, outcome.server(),
                        outcome.server() + " refuses: " + Refusals.describe(code), code));
    }

    private List<Extension> extensions(RuleSettings rule, FuzzyHash hash, List<Extension> sender) {
        List<Extension> all = new ArrayList<>(sender);
        all.addAll(Sides.asked(hash, rule, settings));
        return all;
    }

    /** Returns the facts about the sender that servers may receive. Empty for our own users and networks. */
    private static List<Extension> sender(byte[] mail, ScanContext context) {
        InetAddress ip = context.ip();
        if (ip == null || context.user() != null || isLocal(ip)) {
            return List.of();
        }
        List<Extension> extensions = new ArrayList<>();
        MailHeaders.of(mail).fromDomain().map(Extension.Domain::new).ifPresent(extensions::add);
        extensions.add(new Extension.SenderIp(ip));
        return extensions;
    }

    private static boolean isLocal(InetAddress ip) {
        // fc00::/7 is the private range of IPv6. Java has no method for it.
        return ip.isLoopbackAddress() || ip.isSiteLocalAddress() || ip.isLinkLocalAddress() || ip.isAnyLocalAddress()
                || (ip.getAddress().length == 16 && (ip.getAddress()[0] & 0xfe) == 0xfc);
    }

    private ScanResult result(AnalyzedMail mail, List<Asked> asked, List<Map<Integer, WantedMail.Answer>> guards) {
        MailScore score = new MailScore(settings.symbols());
        List<ScanResult.AskedHash> hashes = new ArrayList<>();
        List<ScanResult.UpstreamFailure> failures = new ArrayList<>();
        List<String> guarded = new ArrayList<>();
        for (int number = 0; number < asked.size(); number++) {
            Asked rule = asked.get(number);
            List<Answer> answers = new ArrayList<>();
            List<Outcome> outcomes = rule.outcomes().join();
            for (int i = 0; i < outcomes.size(); i++) {
                FuzzyHash hash = rule.hashes().get(i);
                Outcome outcome = outcomes.get(i);
                @Nullable
                Reply reply = outcome.reply();
                hashes.add(new ScanResult.AskedHash(rule.rule().name(), Optional.of(hash.kind()),
                        Digest.of(hash.digest()), reply));
                WantedMail.Answer guard = guards.get(number).getOrDefault(i, WantedMail.Answer.FREE);
                if (guard != WantedMail.Answer.FREE) {
                    guarded.add("a hit of " + hash.kind().type() + " under rule " + rule.rule().name()
                            + " does not count: " + guard.reason());
                } else if (reply != null) {
                    answers.add(new Answer(hash, mail.parts().get(hash.part()).body().length, reply,
                            outcome.server()));
                }
                failure(rule.rule().name(), outcome).filter(failure -> !failures.contains(failure))
                        .ifPresent(failures::add);
            }
            score.add(rule.rule().name(), rule.rule().score(), rule.rule().kinds(), answers, mail);
        }
        settings.disputed().ifPresent(score::dispute);
        return new ScanResult(score.symbols(), score.total(), hashes, score.matches(),
                Stream.concat(score.log().stream(), guarded.stream()).toList(), failures, false);
    }
}
