package dev.weir.wire.command;

import java.net.InetAddress;
import java.util.List;

import dev.weir.model.HtmlSides;

/**
 * An extension of a command (docs/reference/protocol.md#extensions). Request handlers receive them. Only those of Weir
 * (docs/reference/protocol.md#extensions-of-weir) affect the storage. If a kind occurs several times, the last one
 * counts.
 */
public sealed interface Extension {
    /** Returns whether this is an extension of Weir, which says nothing about the sender. */
    default boolean isOfWeir() {
        return switch (this) {
            case Sides _,WideFlag _,Capabilities _,Protectors _ -> true;
            case Domain _,SenderIp _,SenderFacts _,Unknown _ -> false;
        };
    }

    /**
     * The domain of the MIME From header.
     *
     * @param name at most 255 characters, one for each byte (ISO-8859-1), so that the conversion is lossless
     */
    record Domain(String name) implements Extension {}

    /**
     * The address of the host that sent the mail.
     *
     * @param address IPv4 (sent as 4 bytes) or IPv6 (16 bytes)
     */
    record SenderIp(InetAddress address) implements Extension {}

    /**
     * Facts about the sender, packed into 32 bits.
     *
     * @param word the bits, as described in docs/reference/protocol.md#sender-facts
     */
    record SenderFacts(int word) implements Extension {
        /** The value of {@link #dmarc} if DMARC passed. */
        public static final int DMARC_PASS = 2;

        /** Returns the class, bits 31..24. Receivers must ignore a word of a class other than 0. */
        public int factsClass() {
            return word >>> 24;
        }

        /** Returns whether the mail arrived over TLS. */
        public boolean tls() {
            return (word & (1 << 14)) != 0;
        }

        /**
         * Returns the range of the number of recipients: 0 for one, 1 for two to five, 2 for six to twenty, 3 for more.
         */
        public int recipients() {
            return bits(12, 3);
        }

        /** Returns whether the reverse DNS name looks generic. */
        public boolean genericReverseName() {
            return (word & (1 << 11)) != 0;
        }

        /** Returns the state of the reverse DNS name: 0 not looked up, 1 none, 2 present, 3 confirmed. */
        public int reverseName() {
            return bits(9, 3);
        }

        /**
         * DMARC: 0 absent, 1 no record, 2 pass, 3 to 5 fail with none, quarantine, reject, 6 permerror, 7 temperror.
         */
        public int dmarc() {
            return dmarc(word);
        }

        static int dmarc(int word) {
            return (word >>> 6) & 7;
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
     * The side hashes of an HTML hash, of Weir.
     *
     * @param sides the hashes
     */
    record Sides(HtmlSides sides) implements Extension {}

    /**
     * A flag that does not fit into the command, of Weir. It takes the place of the one in the command.
     *
     * @param flag 256..2147483647
     */
    record WideFlag(int flag) implements Extension {}

    /** The question which extensions of Weir the storage knows. */
    record Capabilities() implements Extension {}

    /**
     * The flags that protect a template from a match with others, of Weir.
     *
     * @param flags at most {@value Extensions#MAX_PROTECTORS}
     */
    record Protectors(List<Integer> flags) implements Extension {
        /** Copies the flags. */
        public Protectors {
            flags = List.copyOf(flags);
        }
    }

    /**
     * An extension of unknown meaning. It carries its length, so receivers can skip it.
     *
     * @param type 0x81..0xff
     * @param content at most 255 characters, one for each byte
     */
    record Unknown(int type, String content) implements Extension {}
}
