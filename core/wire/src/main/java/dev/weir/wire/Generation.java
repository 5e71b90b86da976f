package dev.weir.wire;

import java.util.EnumSet;
import java.util.Set;

/** A family of request layouts that a server can accept or reject (docs/reference/protocol.md#versions). */
public enum Generation {
    /** The 80-byte structure of 0.3 to 0.7. The reply is text. */
    TEXT,
    /** Version 2, of 0.8. */
    V2,
    /** Version 3, of 0.9 and later. */
    V3,
    /** Version 4 without the multi-flag bit, of 1.7 and later. */
    V4,
    /** Version 5, and version 4 with bit 0x10, of 4.0 and later. */
    MULTI_FLAG;

    /** The generations that Rspamd 4.x accepts: versions 3, 4 and 5. */
    public static Set<Generation> current() {
        return EnumSet.of(V3, V4, MULTI_FLAG);
    }

    /** All generations. */
    public static Set<Generation> all() {
        return EnumSet.allOf(Generation.class);
    }
}
