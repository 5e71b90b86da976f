package dev.weir.http.data;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import dev.weir.storage.admin.RefusedException;

/**
 * Answers that all pages may share for a few seconds, so that ten open pages cost little more than one. An answer that
 * took long is shared for longer: a question that is asked all the time costs at most a quarter of a percent of a
 * processor if an answer takes up to 0.3 s, and more beyond that, so that figures stay current. Thread-safe; a caller
 * that asks while an answer is computed waits for it.
 */
final class RecentAnswers {
    /** So many times as long as it took, an answer is shared at least. */
    private static final long REST = 400;
    /** The longest time that an answer is shared, so that figures stay current. */
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private final Duration life;
    private final LongSupplier nanoTime;
    private final Map<String, Answer> answers = new HashMap<>();

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(byte[] body, long end) {}

    /** Computes an answer. */
    @FunctionalInterface
    interface Source {
        byte[] answer() throws RefusedException;
    }

    /**
     * Creates it without answers.
     *
     * @param life how old an answer may be that was fast
     */
    RecentAnswers(Duration life, LongSupplier nanoTime) {
        this.life = life;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns an answer that is not too old.
     *
     * @param question one of few
     * @throws RefusedException if there is no answer
     */
    synchronized byte[] get(String question, Source source) throws RefusedException {
        Answer known = answers.get(question);
        long begun = nanoTime.getAsLong();
        if (known == null || begun - known.end() > 0) {
            byte[] body = source.answer();
            long now = nanoTime.getAsLong();
            // The first answer is slow because the program is cold, which says nothing of the next ones.
            long rest = known == null ? 0 : Math.min((now - begun) * REST, LONGEST.toNanos());
            known = new Answer(body, now + Math.max(life.toNanos(), rest));
            answers.put(question, known);
        }
        return known.body();
    }
}
