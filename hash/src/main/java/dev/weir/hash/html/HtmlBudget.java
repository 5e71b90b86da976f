package dev.weir.hash.html;

import java.util.HashMap;
import java.util.Map;

/**
 * What the HTML parts of one mail share: the attributes that may still be read, and the order in which the mail's URLs were
 * first seen. One mail, one thread.
 */
public final class HtmlBudget {
    /** Attributes of all tags of a mail together. */
    public static final int MAX_ATTRIBUTES = 65_536;

    private int attributes = MAX_ATTRIBUTES;
    private final Map<String, Integer> order = new HashMap<>();

    boolean takeAttribute() {
        if (attributes == 0) {
            return false;
        }
        attributes--;
        return true;
    }

    /** Number of the URL among the distinct URLs of the mail, from 0, in the order in which they were first asked for. */
    int orderOf(String url) {
        return order.computeIfAbsent(url, unseen -> order.size());
    }
}
