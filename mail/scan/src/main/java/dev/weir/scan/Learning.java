package dev.weir.scan;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.model.HtmlSides;
import dev.weir.model.failure.Reason;
import dev.weir.scan.LearnReport.Decision;
import dev.weir.scan.LearnReport.Failure;
import dev.weir.scan.LearnReport.HashOutcome;
import dev.weir.scan.LearnReport.RuleOutcome;
import dev.weir.scan.LearnReport.ServerOutcome;
import dev.weir.scan.LearnReport.Status;
import dev.weir.scan.client.FuzzyClient;
import dev.weir.scan.client.Outcome;
import dev.weir.scan.client.Question;
import dev.weir.scan.client.ServerGroup;
import dev.weir.scan.retry.PendingUpdate;
import dev.weir.scan.retry.RetryQueue;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.score.Protectors;
import dev.weir.wire.command.AskedThreshold;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Extension;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;
import dev.weir.wire.reply.SideMatch;
import org.jspecify.annotations.Nullable;

/**
 * The execution of learn and delete requests at every server of every rule that has the flag
 * (docs/reference/scanner.md#learning).
 *
 * <p>Unlike Rspamd, it waits for all servers and reports each of them, applies the flag that a learn condition chose
 * only to the rule of that condition, and never reports a failure as success.
 */
final class Learning {
    /** How many rules an error names. */
    private static final int MOST_NAMED = 8;
    /** The most that the extension for flags can carry. */
    private static final long MOST_FLAG = Integer.MAX_VALUE;

    private final FuzzyCheckSettings settings;
    private final MailHasher hasher;
    private final FuzzyClient client;
    private final Map<String, ServerGroup> writers;
    private final Map<String, LearnCondition> conditions;
    private final Optional<RetryQueue> queue;
    private final Turns turns;
    private final UpdateListener listener;
    private final WantedMail wanted;
    private final SecureRandom random = new SecureRandom();

    Learning(FuzzyCheckSettings settings, MailHasher hasher, FuzzyClient client, Map<String, ServerGroup> writers,
            Map<String, LearnCondition> conditions, Optional<RetryQueue> queue, Turns turns,
            UpdateListener listener, Executor afterwards) {
        this.settings = settings;
        this.hasher = hasher;
        this.client = client;
        this.writers = Map.copyOf(writers);
        this.conditions = Map.copyOf(conditions);
        this.queue = queue;
        this.turns = turns;
        this.listener = listener;
        this.wanted = new WantedMail(settings, hasher, client, afterwards);
    }

    /** The requests of one rule. Empty if the rule does not learn. */
    private record Plan(RuleSettings rule, long flag, Decision decision, String reason, List<Question> questions,
            Map<Question, HashKind> kindOf, Kinds kinds) {
        Plan(RuleSettings rule, long flag, Decision decision, String reason, List<Question> questions) {
            this(rule, flag, decision, reason, questions, Map.of(), Kinds.NONE);
        }

        /** Returns the kind of the hash in a question; empty if only its digest is known. */
        Optional<HashKind> kind(Question question) {
            return Optional.ofNullable(kindOf.get(question));
        }

        /** Returns the plan without some questions, with a further reason. */
        Plan without(List<Question> some, String why) {
            List<Question> left = new ArrayList<>(questions);
            left.removeAll(some);
            return new Plan(rule, flag, left.isEmpty() ? Decision.PROTECTED : decision,
                    reason.isEmpty() ? why : reason + "; " + why, left, kindOf, kinds);
        }
    }

    /** The requests of a plan that stand for kinds beyond those of Rspamd, in the order of the kinds. */
    private record Kinds(List<Question> questions, @Nullable AnalyzedMail mail, Skip skip) {
        static final Kinds NONE = new Kinds(List.of(), null, Skip.NOTHING);
    }

    CompletableFuture<LearnReport> learn(byte[] mail, LearnRequest request, boolean rehearsal) {
        long flag = flag(request).orElse(0);
        Optional<Failure> refusal = refusal(flag).or(() -> mail.length == 0
                ? failure(Failure.Kind.EMPTY, "Empty body is not permitted")
                : Optional.empty()).or(() -> unsendable(flag)).or(() -> weightless(request));
        if (refusal.isPresent()) {
            return failed(flag, refusal.get());
        }
        List<Plan> plans = new ArrayList<>();
        try {
            AnalyzedMail analyzed = hasher.analyze(mail);
            for (RuleSettings rule : writable(flag)) {
                plans.add(plan(rule, mail, analyzed, flag, request));
            }
        } catch (NotHashedException e) {
            return failed(flag, Failure.notHashed(String.valueOf(e.getMessage())));
        }
        return rehearsal ? rehearse(flag, plans) : carryOut(flag, plans, request.submitter());
    }

    /** Reports what the plans would do. Only rules with kinds beyond those of Rspamd ask their servers for that. */
    private CompletableFuture<LearnReport> rehearse(long flag, List<Plan> plans) {
        List<CompletableFuture<RuleOutcome>> outcomes = plans.stream().map(this::rehearse).toList();
        return CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
                .thenApply(nothing -> report(flag, outcomes.stream().map(CompletableFuture::join).toList(), true));
    }

    private CompletableFuture<RuleOutcome> rehearse(Plan plan) {
        ServerGroup group = writers.get(plan.rule().name());
        if (plan.kinds().questions().isEmpty() || group == null) {
            return CompletableFuture.completedFuture(outcome(plan, List.of()));
        }
        return guardedKinds(plan, group).thenCompose(rest -> client.ask(group, rest.questions().stream()
                .map(question -> Question.check(question.digest(), question.shingles(),
                        rest.kind(question).map(plan.rule().kinds()::needed).orElse(AskedThreshold.USUAL), List.of()))
                .toList())
                .thenApply(outcomes -> {
                    List<LearnReport.Touched> touched = new ArrayList<>();
                    for (int i = 0; i < outcomes.size(); i++) {
                        touched.add(touched(rest, rest.questions().get(i), outcomes.get(i)));
                    }
                    RuleOutcome outcome = outcome(rest, List.of());
                    return new RuleOutcome(outcome.rule(), outcome.flag(), outcome.decision(), outcome.reason(),
                            outcome.digests(), List.of(), touched);
                }));
    }

    private static LearnReport.Touched touched(Plan plan, Question question, Outcome outcome) {
        String type = plan.kind(question).filter(HashKind::isBeyondRspamd).map(HashKind::type).orElse("rspamd");
        Reply reply = outcome.reply();
        if (reply == null) {
            return new LearnReport.Touched(type, Digest.of(question.digest()), question.flag(), outcome.trouble());
        }
        return new LearnReport.Touched(type, Digest.of(question.digest()), question.flag(), reply.isMatch(1)
                ? "the nearest known one shares " + Math.round(reply.probability() * 100) + " %, flag "
                        + Integer.toUnsignedLong(reply.flag()) + ", value " + reply.value()
                : "nothing near is known");
    }

    CompletableFuture<LearnReport> forget(List<Digest> digests, long flag, Optional<Submitter> submitter) {
        Optional<Failure> refusal = refusal(flag)
                .or(() -> unsendable(flag))
                .or(() -> digests.isEmpty() ? failure(Failure.Kind.NO_HASH, "No hash defined") : Optional.empty());
        if (refusal.isPresent()) {
            return failed(flag, refusal.get());
        }
        List<Plan> plans = new ArrayList<>();
        for (RuleSettings rule : writable(flag)) {
            // Rspamd sends flag 0 here, which means every flag, although only one was requested.
            plans.add(new Plan(rule, flag, Decision.FORGETS, "", new LinkedHashSet<>(digests).stream()
                    .map(digest -> new Question(CommandCode.DEL, (int) flag, 0, digest.toBytes(), new long[0], tag(),
                            List.of()))
                    .toList()));
        }
        return carryOut(flag, plans, submitter);
    }

    private OptionalLong flag(LearnRequest request) {
        if (request.flag().isPresent() || request.symbol().isEmpty()) {
            return request.flag();
        }
        return settings.flagOf(request.symbol().get());
    }

    private List<RuleSettings> writable(long flag) {
        return settings.rules().stream()
                .filter(rule -> rule.mode().writes() && rule.score().flags().containsKey(flag))
                .toList();
    }

    private Optional<Failure> refusal(long flag) {
        if (!settings.enabled()) {
            return failure(Failure.Kind.DISABLED, "Module disabled");
        }
        if (settings.rules().isEmpty()) {
            return failure(Failure.Kind.DISABLED, "Module has no rules");
        }
        if (flag == 0) {
            return failure(Failure.Kind.NO_FLAG, "Unknown or missing flag");
        }
        return writable(flag).isEmpty()
                ? failure(Failure.Kind.NO_RULE, "No fuzzy rules matched for flag " + flag + leftOut(flag))
                : Optional.empty();
    }

    /** Returns why each rule does not take the flag. */
    private String leftOut(long flag) {
        return settings.rules().stream().limit(MOST_NAMED)
                .map(rule -> "rule " + rule.name() + (rule.score().flags().containsKey(flag)
                        ? " is read_only"
                        : " has no such flag in fuzzy_map"))
                .collect(Collectors.joining(", ", " (", settings.rules().size() > MOST_NAMED ? ", ...)" : ")"));
    }

    private static Optional<Failure> unsendable(long flag) {
        return flag > MOST_FLAG
                ? failure(Failure.Kind.INVALID, "Flag " + flag + " cannot be sent: flags go up to " + MOST_FLAG)
                : Optional.empty();
    }

    private static Optional<Failure> weightless(LearnRequest request) {
        return request.weight() == 0 && !request.delete()
                ? failure(Failure.Kind.INVALID, "A weight of 0 has no effect")
                : Optional.empty();
    }

    private Plan plan(RuleSettings rule, byte[] mail, AnalyzedMail analyzed, long flag, LearnRequest request) {
        LearnCondition.Decision decision = decide(rule, new LearnCondition.Subject(mail, analyzed,
                request.context(), flag, request.weight(), request.delete()));
        long own = decision.flag().orElse(flag);
        if (!decision.learn()) {
            return new Plan(rule, own, Decision.SKIPPED_BY_CONDITION, decision.reason(), List.of());
        }
        if (own < 1 || own > MOST_FLAG) {
            return new Plan(rule, own, Decision.SKIPPED_BY_CONDITION,
                    "the condition asks for flag " + own + ", which cannot be sent", List.of());
        }
        List<FuzzyHash> hashes = new ArrayList<>(hasher.hash(analyzed, rule.hashing(), request.skip()));
        boolean wantedMail = wanted.flags(rule).contains((int) own);
        if (wantedMail) {
            hashes.removeAll(WantedMail.kindsOf(hashes));
            hashes.addAll(hasher.wanted(analyzed, rule.hashing(), request.skip()));
        }
        if (hashes.isEmpty()) {
            return new Plan(rule, own, Decision.NO_HASHES, "the mail has no hash under this rule", List.of());
        }
        int command = request.delete() ? CommandCode.DEL : CommandCode.WRITE;
        int value = request.delete() ? 0 : request.weight();
        List<Question> questions = new ArrayList<>();
        List<Question> ofKinds = new ArrayList<>();
        Map<Question, HashKind> kindOf = new HashMap<>();
        for (FuzzyHash hash : hashes) {
            int offset = rule.kinds().of(hash).map(KindOptions.Kind::flagOffset).orElse(0);
            Question question = new Question(command, (int) own + offset, value, hash.digest(), hash.shingles(), tag(),
                    request.delete() ? List.of() : Sides.told(hash));
            questions.add(question);
            kindOf.put(question, hash.kind());
            if (offset > 0) {
                ofKinds.add(question);
            }
        }
        Kinds kinds = new Kinds(ofKinds, analyzed, request.skip());
        Plan plan = new Plan(rule, own, Decision.LEARNS, "", questions, kindOf,
                wantedMail || request.delete() ? Kinds.NONE : kinds);
        if (own + rule.kinds().kinds().values().stream().mapToInt(KindOptions.Kind::flagOffset).max()
                .orElse(0) > Question.LARGEST_PLAIN_FLAG && !ofKinds.isEmpty()) {
            return plan.without(ofKinds, "kinds are left out, because flag " + own + " is too great for them");
        }
        Optional<String> brand = plan.kinds().questions().isEmpty()
                ? Optional.empty()
                : WantedMail.exempt(rule, mail);
        return brand.map(domain -> plan.without(ofKinds, "kinds are left out, because the sender is authenticated as "
                + domain + ", which is exempt")).orElse(plan);
    }

    private LearnCondition.Decision decide(RuleSettings rule, LearnCondition.Subject subject) {
        try {
            return conditions.getOrDefault(rule.name(), LearnCondition.ALWAYS).decide(subject);
        } catch (RuntimeException e) {
            return LearnCondition.Decision.skip("the condition failed: " + Reason.of(e));
        }
    }

    private int tag() {
        while (true) {
            int tag = random.nextInt();
            if (tag != 0) {
                return tag;
            }
        }
    }

    private CompletableFuture<LearnReport> carryOut(long flag, List<Plan> plans, Optional<Submitter> submitter) {
        submitter.ifPresent(known -> plans.forEach(plan -> plan.questions().forEach(
                question -> listener.sending(Digest.of(question.digest()), question.tag(), known))));
        List<CompletableFuture<RuleOutcome>> outcomes = plans.stream().map(this::carryOut).toList();
        return CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
                .thenApply(nothing -> report(flag, outcomes.stream().map(CompletableFuture::join).toList(), false));
    }

    private CompletableFuture<RuleOutcome> carryOut(Plan plan) {
        if (plan.questions().isEmpty()) {
            return CompletableFuture.completedFuture(outcome(plan, List.of()));
        }
        ServerGroup group = writers.get(plan.rule().name());
        if (group == null) {
            throw new IllegalStateException("rule " + plan.rule().name() + " has no servers to write to");
        }
        Turns.Taken taken = turns.take(plan.rule().name(), plan.questions());
        return taken.begin().thenCompose(nothing -> carryOut(plan, group)).whenComplete((_, _) -> taken.end());
    }

    private CompletableFuture<RuleOutcome> carryOut(Plan plan, ServerGroup group) {
        if (plan.flag() > Question.LARGEST_PLAIN_FLAG) {
            return client.withoutWideFlags(group).thenCompose(without -> without.isEmpty()
                    ? guardedKinds(plan, group).thenCompose(rest -> guarded(rest, group))
                    : CompletableFuture.completedFuture(outcome(plan, unable(plan, without))));
        }
        return guardedKinds(plan, group).thenCompose(rest -> rest.questions().isEmpty()
                ? CompletableFuture.completedFuture(outcome(rest, List.of()))
                : guarded(rest, group));
    }

    /** Leaves out the hashes of kinds beyond those of Rspamd that are near learned wanted mail. */
    private CompletableFuture<Plan> guardedKinds(Plan plan, ServerGroup group) {
        AnalyzedMail mail = plan.kinds().mail();
        List<Integer> places = IntStream.range(0, plan.kinds().questions().size())
                .filter(i -> plan.questions().contains(plan.kinds().questions().get(i))).boxed().toList();
        if (mail == null || places.isEmpty()) {
            return CompletableFuture.completedFuture(plan);
        }
        return wanted.ask(plan.rule(), group, mail, plan.kinds().skip(), places).thenApply(answers -> {
            Plan rest = plan;
            for (int i = 0; i < places.size(); i++) {
                if (answers.get(i) != WantedMail.Answer.FREE) {
                    Question question = plan.kinds().questions().get(places.get(i));
                    rest = rest.without(List.of(question), plan.kind(question).orElseThrow().type()
                            + " is left out, because " + answers.get(i).reason());
                }
            }
            return rest;
        });
    }

    /** Returns the outcomes of servers that do not take the flag. The others get nothing either. */
    private static List<ServerOutcome> unable(Plan plan, Map<String, String> reasons) {
        return reasons.entrySet().stream()
                .map(server -> new ServerOutcome(server.getKey(), Status.REFUSED, 0, plan.questions().size(), 0, 0,
                        "flag " + plan.flag() + " is not sent: " + server.getValue(), List.of()))
                .toList();
    }

    /**
     * Leaves out the templates of HTML that wanted mail has with the same destinations, then sends the rest. Otherwise
     * one report of a genuine letter would make its template a sign of spam.
     */
    private CompletableFuture<RuleOutcome> guarded(Plan plan, ServerGroup group) {
        Set<Integer> protectors = Protectors.of(plan.rule().score(), settings.symbols());
        List<Question> templates = plan.questions().stream().filter(Learning::isTemplate).toList();
        if (templates.isEmpty() || protectors.isEmpty() || protectors.contains((int) plan.flag())) {
            return send(plan, group);
        }
        List<Question> checks = templates.stream().map(template -> {
            List<Extension> extensions = new ArrayList<>(template.extensions());
            extensions.add(new Extension.Protectors(List.copyOf(protectors)));
            return Question.check(template.digest(), template.shingles(), extensions);
        }).toList();
        return client.ask(group, checks).thenCompose(outcomes -> {
            List<Question> kept = new ArrayList<>();
            for (int i = 0; i < checks.size(); i++) {
                Reply reply = outcomes.get(i).reply();
                if (reply != null && reply.sides().map(SideMatch::guarded).orElse(false)) {
                    kept.add(templates.get(i));
                }
            }
            if (kept.isEmpty()) {
                return send(plan, group);
            }
            Plan rest = plan.without(kept,
                    "the structure of its HTML is that of wanted mail with the same destinations");
            return rest.questions().isEmpty()
                    ? CompletableFuture.completedFuture(outcome(rest, List.of()))
                    : send(rest, group);
        });
    }

    private static boolean isTemplate(Question question) {
        return question.command() == CommandCode.WRITE
                && question.extensions().stream().anyMatch(Extension.Sides.class::isInstance);
    }

    private CompletableFuture<RuleOutcome> send(Plan plan, ServerGroup group) {
        return client.tell(group, plan.questions(),
                (server, question) -> queue.map(held -> held.holds(plan.rule().name(), server, question.digest()))
                        .orElse(false))
                .thenCompose(told -> {
                    List<CompletableFuture<ServerOutcome>> servers = told.stream()
                            .map(server -> server(plan, server))
                            .toList();
                    return CompletableFuture.allOf(servers.toArray(CompletableFuture[]::new))
                            .thenApply(nothing -> outcome(plan,
                                    servers.stream().map(CompletableFuture::join).toList()));
                });
    }

    private static RuleOutcome outcome(Plan plan, List<ServerOutcome> servers) {
        return new RuleOutcome(plan.rule().name(), plan.flag(), plan.decision(), plan.reason(),
                plan.questions().stream().map(question -> Digest.of(question.digest())).toList(), servers);
    }

    private CompletableFuture<ServerOutcome> server(Plan plan, FuzzyClient.Told told) {
        int confirmed = 0;
        int code = 0;
        String refusal = "";
        String trouble = "";
        boolean sent = false;
        List<HashOutcome> hashes = new ArrayList<>();
        List<PendingUpdate.Content> missing = new ArrayList<>();
        for (int i = 0; i < told.outcomes().size(); i++) {
            Question question = plan.questions().get(told.places().get(i));
            Outcome outcome = told.outcomes().get(i);
            Reply reply = outcome.reply();
            hashes.add(outcome(plan, question, outcome));
            if (reply == null) {
                trouble = outcome.trouble();
                sent |= outcome.port() != 0;
                missing.add(update(plan, told.server(), question, outcome.port()));
            } else if (reply.isMatch()) {
                confirmed++;
            } else if (reply.value() == ErrorCode.INTERNAL) {
                code = code == 0 ? ErrorCode.INTERNAL : code;
                trouble = Refusals.describe(ErrorCode.INTERNAL);
                missing.add(update(plan, told.server(), question, outcome.port()));
            } else {
                code = reply.value();
                refusal = code == 0 ? "answered, but not confirmed" : Refusals.describe(code);
            }
        }
        Status status = !missing.isEmpty()
                ? Status.NO_ANSWER
                : refusal.isEmpty() ? Status.CONFIRMED : Status.REFUSED;
        String message = refusal.isEmpty() ? trouble : trouble.isEmpty() ? refusal : refusal + "; " + trouble;
        ServerOutcome outcome = new ServerOutcome(told.server(), status, confirmed, hashes.size(), code, 0,
                sent && queue.isEmpty()
                        ? message + "; what was sent may still be stored, and would count again if it is learned again"
                        : message,
                hashes);
        return missing.isEmpty() || queue.isEmpty()
                ? CompletableFuture.completedFuture(outcome)
                : queue.get().add(missing).thenApply(outcome::withQueued);
    }

    private static HashOutcome outcome(Plan plan, Question question, Outcome outcome) {
        Reply reply = outcome.reply();
        boolean accepted = reply != null && reply.isMatch();
        return new HashOutcome(Digest.of(question.digest()), plan.kind(question).map(HashKind::label).orElse(""),
                accepted, accepted || reply == null ? 0 : reply.value(), reply == null ? outcome.trouble() : "");
    }

    private static PendingUpdate.Content update(Plan plan, String server, Question question, int port) {
        return new PendingUpdate.Content(plan.rule().name(), server, question.command(), question.flag(),
                question.value(), question.tag(), question.digest(), question.shingles(), sides(question),
                port);
    }

    private static @Nullable HtmlSides sides(Question question) {
        return question.extensions().stream()
                .filter(Extension.Sides.class::isInstance)
                .map(extension -> ((Extension.Sides) extension).sides())
                .findFirst()
                .orElse(null);
    }

    private static LearnReport report(long flag, List<RuleOutcome> rules, boolean rehearsal) {
        SequencedSet<Digest> digests = new LinkedHashSet<>();
        rules.forEach(rule -> digests.addAll(rule.digests()));
        return new LearnReport(flag, rules, List.copyOf(digests), failure(flag, rules, rehearsal));
    }

    private static Optional<Failure> failure(long flag, List<RuleOutcome> rules, boolean rehearsal) {
        List<RuleOutcome> learning = rules.stream().filter(rule -> rule.decision().isSent()).toList();
        if (learning.isEmpty()) {
            Optional<RuleOutcome> skipped = rules.stream()
                    .filter(rule -> isSkipped(rule.decision()))
                    .findFirst();
            return rules.stream().allMatch(rule -> isSkipped(rule.decision()))
                    ? failure(Failure.Kind.CONDITION, "Message is conditionally skipped for flag "
                            + skipped.map(rule -> rule.flag() + reason(rule)).orElse(String.valueOf(flag)))
                    : failure(Failure.Kind.NO_CONTENT, "No content to generate fuzzy for flag " + flag);
        }
        if (rehearsal) {
            return Optional.empty();
        }
        return learning.stream().filter(rule -> !confirmedSomewhere(rule)).findFirst().flatMap(Learning::failure);
    }

    private static boolean isSkipped(Decision decision) {
        return decision == Decision.SKIPPED_BY_CONDITION || decision == Decision.PROTECTED;
    }

    /** Returns what the condition said, behind a colon. Rspamd leaves its user without it. */
    private static String reason(RuleOutcome skipped) {
        return skipped.reason().isEmpty() ? "" : ": " + skipped.reason();
    }

    /**
     * Returns whether every digest has a server that confirmed all its digests. Shards have disjoint sets of digests.
     */
    private static boolean confirmedSomewhere(RuleOutcome rule) {
        boolean sharded = rule.servers().stream().anyMatch(server -> server.total() < rule.digests().size());
        return sharded
                ? rule.servers().stream().allMatch(server -> server.status() == Status.CONFIRMED)
                : rule.servers().stream().anyMatch(server -> server.status() == Status.CONFIRMED);
    }

    private static Optional<Failure> failure(RuleOutcome rule) {
        List<ServerOutcome> refusing = rule.servers().stream()
                .filter(server -> server.status() == Status.REFUSED)
                .toList();
        if (refusing.isEmpty()) {
            return failure(Failure.Kind.NO_ANSWER,
                    rule.servers().stream().anyMatch(server -> server.code() == ErrorCode.INTERNAL)
                            ? "process fuzzy error"
                            : "IO timeout with fuzzy storage");
        }
        return refusing.stream().anyMatch(server -> server.code() == ErrorCode.SKIPPED)
                ? failure(Failure.Kind.SKIPPED_BY_SERVER, "fuzzy hash is skipped")
                : failure(Failure.Kind.REFUSED, "process fuzzy error" + refusing.stream()
                        .filter(server -> server.code() == 0)
                        .map(server -> ": " + server.server() + ": " + server.message())
                        .findFirst()
                        .orElse(""));
    }

    private static Optional<Failure> failure(Failure.Kind kind, String message) {
        return Optional.of(new Failure(kind, message));
    }

    private static CompletableFuture<LearnReport> failed(long flag, Failure failure) {
        return CompletableFuture.completedFuture(
                new LearnReport(flag, List.of(), List.of(), Optional.of(failure)));
    }
}
