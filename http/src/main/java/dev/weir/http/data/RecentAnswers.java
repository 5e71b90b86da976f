package dev.weir.http.data;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

import dev.weir.http.message.HttpException;

/**
 * Answers that all pages may share for a few seconds, so that ten open pages cost little more than one. Thread-safe;
 * who asks while an answer is computed waits for it.
 */
final class RecentAnswers {
    private final Duration life;
    private final LongSupplier nanoTime;
    private final Map<String, Answer> answers = new HashMap<>();

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Answer(byte[] body, long nanos) {}

    /** Computes an answer. */
    @FunctionalInterface
    interface Source {
        byte[] answer() throws HttpException;
    }

    /**
     * Creates it without answers.
     *
     * @param life how old an answer may be
     */
    RecentAnswers(Duration life, LongSupplier nanoTime) {
        this.life = life;
        this.nanoTime = nanoTime;
    }

    /**
     * Returns an answer that is not too old.
     *
     * @param question one of few
     * @throws HttpException if there is no answer
     */
    synchronized byte[] get(String question, Source source) throws HttpException {
        Answer known = answers.get(question);
        if (known == null || nanoTime.getAsLong() - known.nanos() > life.toNanos()) {
            known = new Answer(source.answer(), nanoTime.getAsLong());
            answers.put(question, known);
        }
        return known.body();
    }
}
