package dev.weir.wire.command;

import java.net.InetAddress;

/**
 * One extension of a command (docs/reference/protocol.md#extensions). They have no effect on the storage; handlers get
 * to see them. Where a kind is repeated the last one counts.
 */
public sealed interface Extension {
    /**
     * The domain of the MIME From.
     *
     * @param name at most 255 characters, each standing for one byte (ISO-8859-1), so that no byte is lost
     */
    record Domain(String name) implements Extension {}

    /**
     * The address that the mail was received from.
     *
     * @param address IPv4 (sent as 4 bytes) or IPv6 (16 bytes)
     */
    record SenderIp(InetAddress address) implements Extension {}

    /**
     * What was found out about the sender, packed in 32 bits.
     *
     * @param word laid out as in docs/reference/protocol.md#sender-facts
     */
    record SenderFacts(int word) implements Extension {
        /** Bits 31..24: a word of another class than 0 is to be ignored. */
        public int factsClass() {
            return word >>> 24;
        }

        /** Whether the mail came over TLS. */
        public boolean tls() {
            return (word & (1 << 14)) != 0;
        }

        /** Recipients: 0 one, 1 two to five, 2 six to twenty, 3 more. */
        public int recipients() {
            return bits(12, 3);
        }

        /** Whether the reverse name looks generic. */
        public boolean genericReverseName() {
            return (word & (1 << 11)) != 0;
        }

        /** Reverse name: 0 not looked up, 1 none, 2 present, 3 confirmed. */
        public int reverseName() {
            return bits(9, 3);
        }

        /**
         * DMARC: 0 absent, 1 no record, 2 pass, 3 to 5 fail with none, quarantine, reject, 6 permerror, 7 temperror.
         */
        public int dmarc() {
            return bits(6, 7);
        }

        /** DKIM: 0 absent, 1 none, 2 pass, 3 fail, 4 permerror, 5 temperror; 6 and 7 count as absent. */
        public int dkim() {
            int dkim = bits(3, 7);
            return dkim > 5 ? 0 : dkim;
        }

        /** SPF: 0 absent, 1 none, 2 pass, 3 fail, 4 softfail, 5 neutral, 6 permerror, 7 temperror. */
        public int spf() {
            return bits(0, 7);
        }

        private int bits(int shift, int mask) {
            return (word >>> shift) & mask;
        }
    }

    /**
     * An extension without a meaning that carries its length, and so can be passed over.
     *
     * @param type 0x81..0xff
     * @param content at most 255 characters, each standing for one byte
     */
    record Unknown(int type, String content) implements Extension {}
}
