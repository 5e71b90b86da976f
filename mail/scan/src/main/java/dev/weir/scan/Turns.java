package dev.weir.scan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.weir.model.Digest;
import dev.weir.scan.client.Question;
import org.jspecify.annotations.Nullable;

/**
 * The order of updates that are in flight: an update of a digest waits until earlier ones of another command in the
 * same rule are answered or in the retry queue. Otherwise a learn whose request was lost could arrive after the forget
 * that followed it. Updates of the same command do not wait for each other, because their order changes nothing.
 * Thread-safe.
 */
final class Turns {
    private record Key(String rule, Digest digest) {}

    /** Some updates of the same command. They may be in flight at the same time. */
    private static final class Turn {
        private final Key key;
        private final int command;
        private final CompletableFuture<@Nullable Void> before;
        private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
        private int open = 1;

        Turn(Key key, int command, CompletableFuture<@Nullable Void> before) {
            this.key = key;
            this.command = command;
            this.before = before;
        }
    }

    /** The last turn of each digest that has updates in flight. */
    private final Map<Key, Turn> last = new HashMap<>();

    /** The turns of the updates of one request. */
    final class Taken {
        private final List<Turn> turns;

        private Taken(List<Turn> turns) {
            this.turns = turns;
        }

        /** Returns a future that completes when all earlier updates that matter have ended. */
        CompletableFuture<?> begin() {
            return CompletableFuture.allOf(turns.stream().map(turn -> turn.before).toArray(CompletableFuture[]::new));
        }

        /** Lets later updates begin. Callers must call it once. */
        void end() {
            leave(turns);
        }
    }

    /** Takes the next turn for each update. The turns of a request follow those of earlier requests. */
    synchronized Taken take(String rule, List<Question> updates) {
        List<Turn> turns = new ArrayList<>();
        Set<Key> keys = new LinkedHashSet<>();
        for (Question update : updates) {
            Key key = new Key(rule, Digest.of(update.digest()));
            if (keys.add(key)) {
                turns.add(take(key, update.command()));
            }
        }
        return new Taken(turns);
    }

    private Turn take(Key key, int command) {
        Turn earlier = last.get(key);
        if (earlier != null && earlier.command == command) {
            earlier.open++;
            return earlier;
        }
        Turn turn = new Turn(key, command, earlier == null ? CompletableFuture.completedFuture(null) : earlier.ended);
        last.put(key, turn);
        return turn;
    }

    private void leave(List<Turn> turns) {
        List<Turn> over = new ArrayList<>();
        synchronized (this) {
            for (Turn turn : turns) {
                if (--turn.open == 0) {
                    last.remove(turn.key, turn);
                    over.add(turn);
                }
            }
        }
        // Outside of the lock, because this starts the updates that wait.
        over.forEach(turn -> turn.ended.complete(null));
    }
}
