package dev.weir.hash.html;

import java.util.HashMap;
import java.util.Map;

/**
 * The number of open tags by name, of those that a closing tag can still close. It makes a closing tag without an
 * opening one cheap.
 */
final class OpenTags {
    private final int[] known = new int[TagType.all().size()];
    private final Map<String, Integer> others = new HashMap<>();

    boolean has(TagName name) {
        TagType type = name.type();
        return (type != null ? known[type.index()] : others.getOrDefault(name.text(), 0)) != 0;
    }

    void opened(TagName name) {
        add(name, 1);
    }

    void closed(TagName name) {
        add(name, -1);
    }

    private void add(TagName name, int more) {
        TagType type = name.type();
        if (type != null) {
            known[type.index()] += more;
        } else {
            others.merge(name.text(), more, Integer::sum);
        }
    }
}
