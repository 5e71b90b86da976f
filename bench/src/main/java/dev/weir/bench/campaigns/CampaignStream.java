package dev.weir.bench.campaigns;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.hash.kind.CampaignKind;

/**
 * A stream of spam that is learned mail by mail. Each mail is first compared with those that came before, by each kind.
 * For one thread.
 */
final class CampaignStream {
    /** The name under which the hashes that Rspamd makes are counted together. */
    static final String RSPAMD = "rspamd";

    private final MailHasher hasher;
    private final HashRule rule;
    private final Map<String, Memory> memories = new LinkedHashMap<>();
    private final List<StreamMail> learned = new ArrayList<>();
    private int unread;

    CampaignStream(MailHasher hasher, HashRule rule) {
        this.hasher = hasher;
        this.rule = rule;
        memories.put(RSPAMD, new Memory());
        for (CampaignKind kind : rule.kinds()) {
            memories.put(kind.optionName(), new Memory());
        }
    }

    /** Returns the names of the kinds, Rspamd's together first. */
    List<String> kinds() {
        return List.copyOf(memories.keySet());
    }

    List<FuzzyHash> hash(StreamMail mail) {
        try {
            return hasher.hash(mail.content(), rule);
        } catch (NotHashedException e) {
            unread++;
            return List.of();
        }
    }

    /** Returns the nearest learned mail by each kind. */
    Map<String, Memory.Nearest> nearest(List<FuzzyHash> hashes) {
        Map<String, Memory.Nearest> nearest = new LinkedHashMap<>();
        for (FuzzyHash hash : hashes) {
            String kind = name(hash);
            nearest.merge(kind, memory(kind).nearest(hash), Memory.Nearest::or);
        }
        return nearest;
    }

    void learn(StreamMail mail, List<FuzzyHash> hashes) {
        for (FuzzyHash hash : hashes) {
            memory(name(hash)).learn(hash, learned.size());
        }
        learned.add(mail);
    }

    private Memory memory(String kind) {
        Memory memory = memories.get(kind);
        if (memory == null) {
            throw new IllegalStateException(kind + " was not asked for");
        }
        return memory;
    }

    private static String name(FuzzyHash hash) {
        return hash.kind().campaign().map(CampaignKind::optionName).orElse(RSPAMD);
    }

    /** Returns a learned mail. */
    StreamMail mail(int number) {
        return learned.get(number);
    }

    int unread() {
        return unread;
    }
}
