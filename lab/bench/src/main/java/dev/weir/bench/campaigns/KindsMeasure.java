package dev.weir.bench.campaigns;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;

/** The measure that counts: the hashes of Weir, those of Rspamd together and each other kind. For one thread. */
final class KindsMeasure {
    /** The name under which the hashes that Rspamd makes are counted together. */
    static final String RSPAMD = "rspamd";
    /** The equal shingles that every storage takes for a match. */
    static final int PLAIN = 17;

    private final Corpus corpus;
    private final List<String> kinds = new ArrayList<>(List.of(RSPAMD));
    private final List<List<FuzzyHash>> hashes = new ArrayList<>();
    private final StreamHasher hasher;

    KindsMeasure(Corpus corpus, MailHasher hasher, HashRule rule) {
        this.corpus = corpus;
        this.hasher = new StreamHasher(hasher, rule);
        rule.kinds().stream().sorted().map(HashKind::optionName).forEach(kinds::add);
        for (StreamMail mail : corpus.mails()) {
            hashes.add(this.hasher.hash(mail));
        }
    }

    /** Returns the names of the kinds, Rspamd's together first. */
    List<String> kinds() {
        return List.copyOf(kinds);
    }

    /** Returns how many mails exceeded the limits of hashing. */
    int unread() {
        return hasher.unread();
    }

    /** Returns how many mails of spam that counts have no hash. */
    int unhashed() {
        return corpus.found(mail -> hashes.get(mail).isEmpty());
    }

    /** Returns the nearness to spam by each kind. */
    Map<String, Nearness> near() {
        Map<String, Nearness> near = nearness();
        Map<String, Memory> memories = memories();
        for (int mail = 0; mail < corpus.mails().size(); mail++) {
            for (FuzzyHash hash : hashes.get(mail)) {
                String kind = name(hash);
                Memory.Nearest found = of(memories, kind).nearest(Digest.of(hash.digest()), hash.shingles(),
                        learned -> true);
                if (found.mail() >= 0) {
                    of(near, kind).pair(mail, found.mail(), found.agreement());
                }
            }
            if (mail < corpus.spam()) {
                learn(memories, mail);
            }
        }
        return near;
    }

    /**
     * Returns, for each kind, the nearest earlier mail of the folder that comes from another domain and has another
     * subject, by mail of the folder. An answer that quotes a mail has its subject.
     */
    Map<String, Map<Integer, Memory.Nearest>> accidents(int[] folder) {
        Map<String, Memory> memories = memories();
        Map<String, Map<Integer, Memory.Nearest>> accidents = new LinkedHashMap<>();
        kinds.forEach(kind -> accidents.put(kind, new LinkedHashMap<>()));
        for (int mail : folder) {
            StreamMail one = corpus.mails().get(mail);
            for (FuzzyHash hash : hashes.get(mail)) {
                Memory.Nearest found = of(memories, name(hash)).nearest(Digest.of(hash.digest()), hash.shingles(),
                        other -> corpus.mails().get(other).isApart(one));
                of(accidents, name(hash)).merge(mail, found, (a, b) -> a.agreement() >= b.agreement() ? a : b);
            }
            learn(memories, mail);
        }
        return accidents;
    }

    private void learn(Map<String, Memory> memories, int mail) {
        for (FuzzyHash hash : hashes.get(mail)) {
            of(memories, name(hash)).learn(Digest.of(hash.digest()), hash.shingles(), mail);
        }
    }

    private Map<String, Memory> memories() {
        Map<String, Memory> memories = new LinkedHashMap<>();
        kinds.forEach(kind -> memories.put(kind, new Memory()));
        return memories;
    }

    private Map<String, Nearness> nearness() {
        Map<String, Nearness> near = new LinkedHashMap<>();
        kinds.forEach(kind -> near.put(kind, new Nearness(corpus)));
        return near;
    }

    private static <T> T of(Map<String, T> all, String kind) {
        T one = all.get(kind);
        if (one == null) {
            throw new IllegalStateException(kind + " was not asked for");
        }
        return one;
    }

    private static String name(FuzzyHash hash) {
        return hash.kind().isBeyondRspamd() ? hash.kind().optionName() : RSPAMD;
    }
}
