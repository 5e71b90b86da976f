package dev.weir.interop;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The guides for mail servers and filters. */
class GuideTest extends TypedGuide {
    @Test
    void postfixWithoutRspamd() throws Exception {
        typeIn("start/postfix-without-rspamd.md");
    }

    @Test
    void dovecotJunkFolder() throws Exception {
        Programs.require("dovecot", "doveadm", "sievec", "curl");
        typeIn("integrate/dovecot-junk-folder.md");
    }

    @Test
    void spamassassin() throws Exception {
        SpamAssassin.require();
        typeIn("integrate/spamassassin.md");
    }

    @Test
    void exim() throws Exception {
        requireUnpacked("exim/usr/sbin/exim4");
        typeIn("integrate/exim.md");
    }

    @Test
    @Tag("long")
    void haraka() throws Exception {
        Programs.require("node");
        requireUnpacked("haraka/node_modules/.bin/haraka");
        typeIn("integrate/haraka.md");
    }
}
