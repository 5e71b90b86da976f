package dev.weir.bench.hashing.differ;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.weir.bench.hashing.Difference;
import org.jspecify.annotations.Nullable;

/**
 * A delta debugger: replaces each mail by a smaller variant as long as the two hashers differ about one from the same
 * step on. It asks about variants of all mails at once, because the real Rspamd takes seconds to start.
 */
final class Minimizer {
    /** Number of variants of a mail in the first round; it doubles while none differs. */
    private static final int FIRST = 16;
    private static final int MOST = 128;

    private final Asker asker;

    /** What answers for a batch of mails: a difference, or null. */
    @FunctionalInterface
    interface Asker {
        /** Asks about the mails. */
        List<@Nullable Difference> ask(List<byte[]> mails) throws IOException, InterruptedException;
    }

    /**
     * A mail about which the hashers differ.
     *
     * @param mail       its derivation
     * @param difference the first difference
     */
    record Case(Derivation mail, Difference difference) {}

    private static final class Progress {
        private Case best;
        private List<Derivation> open;
        private final Set<ByteBuffer> asked = new HashSet<>();
        private int width = FIRST;

        Progress(Case found) {
            best = found;
            open = Reductions.of(found.mail());
        }

        /** Takes the next variants whose bytes are new. */
        List<Derivation> next() {
            List<Derivation> batch = new ArrayList<>();
            int at = 0;
            for (; at < open.size() && batch.size() < width; at++) {
                if (asked.add(ByteBuffer.wrap(open.get(at).bytes()))) {
                    batch.add(open.get(at));
                }
            }
            open = open.subList(at, open.size());
            return batch;
        }

        void take(List<Derivation> batch, List<@Nullable Difference> answers) {
            for (int i = 0; i < batch.size(); i++) {
                Difference answer = answers.get(i);
                if (answer != null && answer.stage() == best.difference().stage()) {
                    best = new Case(batch.get(i), answer);
                    open = Reductions.of(best.mail());
                    return;
                }
            }
            width = Math.min(MOST, 2 * width);
        }
    }

    Minimizer(Asker asker) {
        this.asker = asker;
    }

    /** Returns the smallest variant found for each case, after at most {@code rounds} questions to the asker. */
    List<Case> minimize(List<Case> cases, int rounds) throws IOException, InterruptedException {
        List<Progress> all = cases.stream().map(Progress::new).toList();
        for (int round = 0; round < rounds; round++) {
            List<List<Derivation>> batches = all.stream().map(Progress::next).toList();
            List<byte[]> mails = batches.stream().flatMap(List::stream).map(Derivation::bytes).toList();
            if (mails.isEmpty()) {
                break;
            }
            List<@Nullable Difference> answers = asker.ask(mails);
            int from = 0;
            for (int i = 0; i < all.size(); i++) {
                int to = from + batches.get(i).size();
                all.get(i).take(batches.get(i), answers.subList(from, to));
                from = to;
            }
        }
        return all.stream().map(progress -> progress.best).toList();
    }
}
