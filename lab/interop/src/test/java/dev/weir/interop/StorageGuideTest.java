package dev.weir.interop;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The guides for storages, and for Rspamd with one. */
class StorageGuideTest extends TypedGuide {
    @Test
    void rspamdWithWeir() throws Exception {
        typeIn("start/rspamd-with-weir.md");
    }

    @Test
    void standby() throws Exception {
        typeIn("operate/standby.md");
    }

    @Test
    void feedForCustomers() throws Exception {
        typeIn("operate/feed-for-customers.md");
    }

    @Test
    @Tag("long")
    void rspamdProxy() throws Exception {
        typeIn("integrate/rspamd-proxy.md");
    }
}
