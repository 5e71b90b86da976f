package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.effort.Effort;

/**
 * What the HTML parts of one mail share: the attributes that may still be read, and the order in which the mail's URLs
 * were first seen. One mail, one thread.
 */
public final class HtmlBudget {
    /** Attributes of all tags of a mail together. */
    public static final int MAX_ATTRIBUTES = 65_536;

    private final Effort effort;
    private int attributes = MAX_ATTRIBUTES;
    private final Map<String, Integer> order = new HashMap<>();
    private final List<HtmlDocument> documents = new ArrayList<>(2);

    /** Without a limit of time, for what is read alone. */
    public HtmlBudget() {
        this(Effort.unlimited());
    }

    /** @param effort what the mail may still cost */
    public HtmlBudget(Effort effort) {
        this.effort = effort;
    }

    Effort effort() {
        return effort;
    }

    boolean takeAttribute() {
        if (attributes == 0) {
            return false;
        }
        attributes--;
        return true;
    }

    void read(HtmlDocument document) {
        documents.add(document);
    }

    /**
     * Weighs the URLs of the parts read before {@code last} and of {@code last}: a URL counts less the later it comes.
     */
    void weighUpTo(HtmlDocument last) {
        for (HtmlDocument document : documents) {
            document.weigh();
            if (document == last) {
                return;
            }
        }
    }

    /**
     * Number of the URL among the distinct URLs of the mail, from 0, in the order in which they were first asked for.
     */
    int orderOf(String url) {
        return order.computeIfAbsent(url, unseen -> order.size());
    }
}
