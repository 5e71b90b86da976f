package dev.weir.bench.hashing;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/** The counts of equal and different hashes of a folder. For one thread. */
public final class Exactness {

    private final MailHasher hasher;
    private final HashRule rule;
    private final boolean readings;
    private final Map<String, Tally> kinds = new TreeMap<>();
    private final Map<Difference.Stage, Integer> stages = new EnumMap<>(Difference.Stage.class);
    private final int[] agreement = new int[Signature.SLOTS + 1];
    private int mails;
    private int equalMails;
    private int refused;

    /** The counts for one kind of hash. */
    public static final class Tally {
        private int reference;
        private int equal;
        private int surplus;

        /** Returns the number of hashes of the reference. */
        public int reference() {
            return reference;
        }

        /** Returns the number of those that are equal here. */
        public int equal() {
            return equal;
        }

        /** Returns the number of hashes that only exist here. */
        public int surplus() {
            return surplus;
        }
    }

    /**
     * @param readings whether mails with equal hashes are also compared by parts and words. They are then shown and
     *                 counted by stage; the shares still refer to hashes
     */
    public Exactness(MailHasher hasher, HashRule rule, boolean readings) {
        this.hasher = hasher;
        this.rule = rule;
        this.readings = readings;
    }

    /**
     * Compares every mail of a recording with the hashes of the file of that name.
     *
     * @param details receives a paragraph for each mail that differs, or null
     * @throws IOException if the recording or a mail cannot be read
     */
    public void compare(Path folder, Path recording, @Nullable PrintWriter details) throws IOException {
        Reference.read(recording, theirs -> {
            if (theirs.error() != null) {
                refused++;
                return;
            }
            compare(theirs, Files.readAllBytes(folder.resolve(theirs.name())), details);
        });
    }

    private void compare(ReferenceMail theirs, byte[] mail, @Nullable PrintWriter details) {
        AnalyzedMail analyzed = hasher.analyze(mail);
        List<FuzzyHash> hashes = hasher.hash(analyzed, rule, Skip.NOTHING);
        List<ReferenceMail.Hash> ours = hashes.stream().map(ReferenceMail.Hash::of).toList();
        List<ReferenceMail.Hash> missing = new ArrayList<>();
        List<ReferenceMail.Hash> surplus = new ArrayList<>(ours);
        for (ReferenceMail.Hash hash : theirs.hashes()) {
            boolean equal = surplus.stream().filter(hash::sameAs).findFirst().map(surplus::remove).orElse(false);
            Tally tally = tally(kind(hash));
            tally.reference++;
            if (equal) {
                tally.equal++;
            } else {
                missing.add(hash);
            }
        }
        mails++;
        if (theirs.hashedAs(ours)) {
            equalMails++;
        }
        Difference difference = Difference.of(analyzed, hashes, theirs, readings);
        if (difference == null) {
            return;
        }
        nearMisses(missing, surplus);
        surplus.forEach(hash -> tally(kind(hash)).surplus++);
        stages.merge(difference.stage(), 1, Integer::sum);
        if (details != null) {
            details.println(theirs.name() + ": " + difference.stage() + " " + difference.detail() + " [missing "
                    + missing.stream().map(Exactness::kind).toList() + ", surplus "
                    + surplus.stream().map(Exactness::kind).toList() + "]");
        }
    }

    private void nearMisses(List<ReferenceMail.Hash> missing, List<ReferenceMail.Hash> surplus) {
        for (ReferenceMail.Hash theirs : missing) {
            if (!theirs.shingles().isEmpty()) {
                agreement[surplus.stream().mapToInt(theirs::agreement).max().orElse(0)]++;
            }
        }
    }

    private Tally tally(String kind) {
        return kinds.computeIfAbsent(kind, _ -> new Tally());
    }

    /** Returns the kind of a hash. A recording of texts without a kind is classified by its shingles. */
    private static String kind(ReferenceMail.Hash hash) {
        return hash.kind().equals("?") ? hash.shingles().isEmpty() ? "shorttext" : "txt" : hash.kind();
    }

    /** Returns the counts by kind of hash. */
    public Map<String, Tally> kinds() {
        return Map.copyOf(kinds);
    }

    /** Returns the number of compared mails. */
    public int mails() {
        return mails;
    }

    /** Returns the number of mails with equal lists of hashes. */
    public int equalMails() {
        return equalMails;
    }

    /** Returns the number of mails for which the reference failed. */
    public int refused() {
        return refused;
    }

    /** Returns the number of different mails by first stage that differs. */
    public Map<String, Integer> stages() {
        Map<String, Integer> named = new TreeMap<>();
        stages.forEach((stage, count) -> named.put(stage.name(), count));
        return named;
    }

    /** Returns the number of different texts by number of equal shingles, 0..32. */
    public int[] agreement() {
        return agreement.clone();
    }
}
