package dev.weir.hash.html;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.hash.effort.Effort;

/**
 * The state that the HTML parts of one mail share: the remaining attributes, and the order in which the URLs of the
 * mail first occurred. For one mail and one thread.
 */
public final class HtmlBudget {
    /** Maximum number of attributes in one mail. */
    public static final int MAX_ATTRIBUTES = 65_536;

    private final Effort effort;
    private int attributes = MAX_ATTRIBUTES;
    private final Map<String, Integer> order = new HashMap<>();
    private final List<HtmlDocument> documents = new ArrayList<>(2);

    /** Returns a budget without a time limit, for a single document. */
    public HtmlBudget() {
        this(Effort.unlimited());
    }

    /**
     * @param effort remaining budget of the mail
     */
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

    /** Weighs the URLs of {@code last} and of the parts parsed before it. A URL weighs less the later it occurs. */
    void weighUpTo(HtmlDocument last) {
        for (HtmlDocument document : documents) {
            document.weigh();
            if (document == last) {
                return;
            }
        }
    }

    /** Returns the number of the URL among the distinct URLs of the mail, from 0, in the order of first requests. */
    int orderOf(String url) {
        return order.computeIfAbsent(url, unseen -> order.size());
    }
}
