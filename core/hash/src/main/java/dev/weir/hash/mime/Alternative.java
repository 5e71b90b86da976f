package dev.weir.hash.mime;

import java.util.List;

import dev.weir.hash.effort.Effort;
import org.jspecify.annotations.Nullable;

/**
 * An HTML text and the plain text that a multipart/alternative offers instead of it. Rspamd gives the plain text of the
 * last such pair the language of the HTML.
 *
 * @param html  number of the HTML part
 * @param plain number of the plain part
 */
public record Alternative(int html, int plain) {
    /** Maximum number of parts to look at; Rspamd stops after as many. */
    private static final int MOST_STEPS = 1_000_000;

    /**
     * Returns the pair with the last HTML text that has a plain one, or null.
     *
     * @param nodes the classified parts, in order
     */
    static @Nullable Alternative last(List<PartNode> nodes, Effort effort) {
        int steps = 0;
        for (int html = nodes.size() - 1; html >= 0 && steps < MOST_STEPS; html--) {
            PartNode branch = nodes.get(html);
            if (branch.kind() != PartKind.TEXT || !branch.html) {
                continue;
            }
            while (branch.parent != null && !isAlternative(branch.parent)) {
                branch = branch.parent;
            }
            for (int plain = 0; branch.parent != null && plain < nodes.size(); plain++) {
                PartNode node = nodes.get(plain);
                if (node.kind() == PartKind.TEXT && !node.html && isBeside(node, branch)) {
                    return new Alternative(html, plain);
                }
                steps++;
            }
            effort.spend(nodes.size());
        }
        return null;
    }

    private static boolean isAlternative(PartNode node) {
        return node.type.subtype().equals("alternative");
    }

    /** Whether a part is in another branch of the same container, with only multiparts in between. */
    private static boolean isBeside(PartNode node, PartNode branch) {
        PartNode at = node;
        while (at.parent != null && at.parent != branch.parent && at.parent.kind() == PartKind.MULTIPART) {
            at = at.parent;
        }
        return at != branch && at.parent == branch.parent;
    }
}
