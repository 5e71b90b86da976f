package dev.weir.scan.client;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The questions of one rule about one mail, or the updates for one server, until each is answered or given up. For the
 * event loop only.
 *
 * <p>The attempts and the pauses between them follow Rspamd (docs/reference/scanner.md#check-session) with two
 * differences: if a server falls silent or becomes unreachable, its questions go to another server at once; and the
 * answers that arrived count even if others are missing.
 */
final class Exchange {
    private final FuzzyClient client;
    private final ServerGroup group;
    private final List<Call> calls = new ArrayList<>();
    private final CompletableFuture<List<Outcome>> future;
    private final Set<Server> used = new HashSet<>();
    private final Set<Server> refusals = new HashSet<>();
    private int questions;
    private int open;
    private int attempt;
    private boolean paused;
    private boolean finished;
    private long begun;
    private EventLoop.@Nullable Timer timer;
    private EventLoop.@Nullable Timer hedge;

    Exchange(FuzzyClient client, ServerGroup group, CompletableFuture<List<Outcome>> future) {
        this.client = client;
        this.group = group;
        this.future = future;
    }

    /** Adds a question for the selected server, or for the given one only. */
    void add(Question question, int index, @Nullable Server pinned) {
        add(question, index, pinned, false);
    }

    /** Adds a question that is possibly held back. */
    void add(Question question, int index, @Nullable Server pinned, boolean heldBack) {
        Call call = new Call(question, index, pinned, this);
        call.heldBack = heldBack;
        calls.add(call);
        questions = Math.max(questions, index + 1);
    }

    void begin() {
        begun = System.nanoTime();
        open = calls.size();
        group.count(begun, calls.size());
        Server chosen = calls.stream().anyMatch(call -> call.pinned == null) ? group.pick(Set.of()) : null;
        for (Call call : calls) {
            Server target = call.pinned == null ? chosen : call.pinned;
            if (target == null || call.heldBack || !target.isUsable()) {
                giveUp(call);
            } else {
                send(call, target);
            }
        }
        if (open == 0) {
            finish();
            return;
        }
        timer = client.loop().after(group.options().timeout().toNanos(), this::timedOut);
        group.options().hedgeAfter().ifPresent(
                wait -> hedge = client.loop().after(wait.toNanos(), () -> moveUnanswered(null, true)));
    }

    private void giveUp(Call call) {
        if (call.isOpen()) {
            call.hopeless = true;
            open--;
        }
    }

    private void send(Call call, Server target) {
        call.at = target;
        call.attempt = attempt;
        if (used.add(target)) {
            target.begin(this);
        }
        Link link = call.linkTo(target, group.key());
        boolean overStream = call.question.isCheck() && attempt == 0 && group.wantsStream()
                && link.stream(group.options().tcp()).isOpen();
        link.send(call, overStream);
    }

    /**
     * Sends the unanswered questions of one server, or of all servers, to another one. Returns whether there was
     * another one.
     */
    private boolean moveUnanswered(@Nullable Server from, boolean onlyHealthy) {
        if (finished) {
            return false;
        }
        Server other = null;
        for (Call call : calls) {
            if (!call.isOpen() || call.pinned != null || (from != null && call.at != from)) {
                continue;
            }
            if (other == null) {
                other = onlyHealthy ? group.pickHealthy(used) : group.pickFresh(used);
                if (other == null) {
                    return false;
                }
            }
            send(call, other);
        }
        return other != null;
    }

    /** Moves the questions of a silent server to a healthy one, if there is any. */
    void leave(Server server) {
        moveUnanswered(server, true);
    }

    /** Sends the open questions of a server again, which has another address now. */
    void readdress(Server server) {
        if (finished || paused) {
            return;
        }
        for (Call call : calls) {
            // An update stays where it was sent: at two storages, it would count at both.
            if (call.isOpen() && call.at == server && !call.question.isUpdate()) {
                send(call, server);
            }
        }
    }

    /** Handles a server where nothing listens. Returns whether this failure has not been counted yet. */
    boolean refused(Server server) {
        if (finished || calls.stream().noneMatch(call -> call.isOpen() && call.at == server)) {
            return false;
        }
        boolean first = refusals.add(server);
        if (moveUnanswered(server, false)) {
            return first;
        }
        if (paused || calls.stream().anyMatch(call -> call.isOpen() && call.at != server)) {
            return first;
        }
        // No other server is left, so the rest of this attempt is not worth waiting for.
        cancel(timer);
        attemptIsOver();
        return true;
    }

    void answered(Call call, Reply reply, Server server) {
        if (!call.isOpen()) {
            return;
        }
        call.reply = reply;
        call.answeredBy = server.name();
        open--;
        if (open == 0) {
            finish();
        }
    }

    private void timedOut() {
        for (Server server : silent()) {
            server.suspect();
        }
        attemptIsOver();
    }

    private Set<Server> silent() {
        Set<Server> silent = new HashSet<>();
        for (Call call : calls) {
            Server server = call.at;
            if (call.isOpen() && server != null && server.lastAnswer() < begun) {
                silent.add(server);
            }
        }
        return silent;
    }

    private void attemptIsOver() {
        if (finished) {
            return;
        }
        if (attempt >= group.options().retransmits()) {
            for (Server server : silent()) {
                if (!refusals.contains(server)) {
                    server.failed();
                }
            }
            finish();
            return;
        }
        attempt++;
        paused = true;
        timer = client.loop().after(pause(attempt), this::retry);
    }

    /** Returns the pause before the n-th retransmit: random, growing, and at least a tenth of a second. */
    private long pause(int n) {
        double timeout = group.options().timeout().toNanos() / 1e9;
        double base = Math.min(Math.max(0.1 * timeout, 0.1) * n, 0.5);
        double pause = Math.max(0.1, base / 2 + ThreadLocalRandom.current().nextDouble() * base / 2);
        return (long) (pause * 1e9);
    }

    private void retry() {
        paused = false;
        refusals.clear();
        Server other = null;
        for (Call call : calls) {
            if (!call.isOpen()) {
                continue;
            }
            Server last = call.at;
            if (call.pinned != null) {
                if (call.pinned.isUsable()) {
                    send(call, call.pinned);
                } else {
                    giveUp(call);
                }
            } else if (last != null && last.isHealthy()) {
                send(call, last);
            } else {
                other = other == null ? group.pick(Set.of()) : other;
                if (other == null) {
                    giveUp(call);
                } else {
                    send(call, other);
                }
            }
        }
        if (open == 0) {
            finish();
        } else {
            timer = client.loop().after(group.options().timeout().toNanos(), this::timedOut);
        }
    }

    private static void cancel(EventLoop.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Gives up all open questions because the client closes. */
    void abandon() {
        if (!finished) {
            finish();
        }
    }

    private void finish() {
        finished = true;
        List<Outcome> outcomes = outcomes();
        cancel(timer);
        cancel(hedge);
        for (Call call : calls) {
            call.forget();
        }
        used.forEach(server -> server.end(this));
        client.ended(this);
        future.complete(outcomes);
    }

    private List<Outcome> outcomes() {
        List<Outcome> outcomes = new ArrayList<>(questions);
        for (int index = 0; index < questions; index++) {
            Call best = null;
            Call missing = null;
            for (Call call : calls) {
                if (call.index == index) {
                    if (call.reply == null) {
                        missing = call;
                    } else if (best == null || isBetter(call.reply, best.reply)) {
                        best = call;
                    }
                }
            }
            String trouble = missing == null ? "" : trouble(missing);
            Server asked = missing == null ? null : missing.at == null ? missing.pinned : missing.at;
            String silent = asked == null ? "" : asked.name();
            outcomes.add(best == null
                    ? new Outcome(null, silent, trouble, missing == null ? 0 : missing.port(group.key()), silent)
                    : new Outcome(best.reply, best.answeredBy, trouble, best.port(group.key()), silent));
        }
        return outcomes;
    }

    /**
     * Returns whether a reply takes precedence over another one. Of the replies of several shards, a hit wins; of
     * several hits, the one with the highest probability, then the one with the greatest value.
     */
    private static boolean isBetter(Reply reply, @Nullable Reply than) {
        if (than == null || reply.isMatch() != than.isMatch()) {
            return than == null || reply.isMatch();
        }
        if (reply.probability() != than.probability()) {
            return reply.probability() > than.probability();
        }
        return reply.isMatch() && reply.value() > than.value();
    }

    private String trouble(Call call) {
        Server asked = call.at == null ? call.pinned : call.at;
        if (asked == null) {
            return group.reasonForNoServer();
        }
        if (call.heldBack) {
            return "waits behind earlier updates of the same hash for " + asked.name();
        }
        if (!asked.hasAddress()) {
            return "no address is known for " + asked.name();
        }
        if (call.at == null) {
            return asked.name() + " is unavailable after " + asked.failures() + " failures";
        }
        if (refusals.contains(asked)) {
            return "nothing listens at " + asked.name() + " (" + tries() + "): is the storage running?";
        }
        String failure = asked.sendFailure(group.key());
        if (!failure.isEmpty()) {
            return "cannot send to " + asked.name() + ": " + failure;
        }
        if (asked.heardEcho(group.key())) {
            return asked.name() + " returns requests unchanged instead of answering: is it a storage?";
        }
        if (asked.heardForeign(group.key())) {
            return asked.name() + " answers, but not with this key";
        }
        return "no answer from " + asked.name() + " (" + tries() + " of " + group.options().timeout().toMillis()
                + " ms)";
    }

    private String tries() {
        return attempt + 1 + (attempt == 0 ? " try" : " tries");
    }
}
