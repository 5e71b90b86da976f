package dev.weir.wire.command;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

import dev.weir.model.AddressBits;
import dev.weir.wire.Generation;
import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.ProtocolVersion;

/**
 * A view of a request in its original bytes. It neither copies nor allocates. One view serves one thread and many
 * requests, one after the other. Its getters are valid after {@link #wrap} returns {@link Parse#OK}, as long as the
 * bytes do not change.
 *
 * <p>docs/reference/protocol.md#request-layout describes the layouts, docs/reference/protocol.md#versions the order of
 * the checks.
 */
public final class Command {
    private static final int VERSION_NIBBLE = 0x0f;
    private static final int MULTI_FLAG_BIT = 0x10;
    private static final int WEAK_BIT = 0x80;

    private static final int CODE = 1;
    private static final int SHINGLES_COUNT = 2;
    private static final int FLAG = 3;
    private static final int VALUE = 4;
    private static final int TAG = 8;
    private static final int DIGEST = 12;
    private static final int SHINGLES = Protocol.COMMAND;

    private static final int TEXT_VALUE = 8;
    private static final int TEXT_FLAG = 12;
    private static final int TEXT_DIGEST = 16;

    private static final byte[] NOTHING = {};
    private static final int ABSENT = -1;

    private final EnumSet<Generation> accepted = EnumSet.noneOf(Generation.class);

    private byte[] bytes = NOTHING;
    private int offset;
    private int length;
    private int extensions;

    /** Where the content of an extension of Weir begins; {@link #ABSENT} without one. */
    private int sides = ABSENT;
    private int wideFlag = ABSENT;
    private int protectors = ABSENT;

    /** Where the extensions about the sender begin, with their type; {@link #ABSENT} without one. */
    private int domain = ABSENT;
    private int senderIp = ABSENT;
    private int senderFacts = ABSENT;
    private boolean ofWeir;
    private boolean asksCapabilities;
    private Generation generation = Generation.V4;
    private ProtocolVersion epoch = ProtocolVersion.V1_7;

    /** Creates a view that accepts the given generations and rejects others with {@link Parse#NOT_ACCEPTED}. */
    public Command(Set<Generation> accepted) {
        this.accepted.addAll(accepted);
    }

    /** Creates a view that accepts the generations of Rspamd 4.x. */
    public Command() {
        this(Generation.current());
    }

    /** Reads a datagram without encryption. */
    public Parse wrap(byte[] bytes, int offset, int length) {
        return wrap(bytes, offset, length, Carrier.DATAGRAM);
    }

    /**
     * Reads a request.
     *
     * @param length the length of the request; only the first {@link Protocol#MAX_DATAGRAM} bytes of a datagram count
     * @throws IndexOutOfBoundsException if offset and length do not lie within the array
     */
    public Parse wrap(byte[] bytes, int offset, int length, Carrier carrier) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        int size = Math.min(length, carrier.stream() ? Protocol.MAX_FRAME : Protocol.MAX_DATAGRAM);
        this.bytes = bytes;
        this.offset = offset;
        this.length = size;
        this.extensions = size;
        forgetExtensions();
        if (size == Protocol.TEXT_COMMAND && carrier == Carrier.DATAGRAM && accepts(Generation.TEXT)
                && (bytes[offset] & 0xff) <= CommandCode.DEL) {
            return become(Generation.TEXT, ProtocolVersion.V0_6);
        }
        if (size < Protocol.COMMAND) {
            return Parse.TOO_SHORT;
        }
        int version = bytes[offset] & 0xff;
        return switch (version & VERSION_NIBBLE) {
            case 2 -> version == 2 ? fixed(Generation.V2, ProtocolVersion.V0_8) : Parse.BAD_VERSION;
            case 3 -> fixed(Generation.V3, carrier.boxed() ? ProtocolVersion.V1_0 : ProtocolVersion.V0_9);
            case 4 -> (version & MULTI_FLAG_BIT) != 0 && accepts(Generation.MULTI_FLAG)
                    ? extended(Generation.MULTI_FLAG, ProtocolVersion.V4_0)
                    // Before 4.0 the bit had no meaning and was ignored.
                    : extended(Generation.V4, ProtocolVersion.V1_7);
            case 5 -> extended(Generation.MULTI_FLAG, ProtocolVersion.V4_0);
            default -> Parse.BAD_VERSION;
        };
    }

    private Parse fixed(Generation generation, ProtocolVersion epoch) {
        if (!accepts(generation)) {
            return Parse.NOT_ACCEPTED;
        }
        if (bytes[offset + SHINGLES_COUNT] == 0) {
            return length == Protocol.COMMAND ? become(generation, epoch) : Parse.BAD_LENGTH;
        }
        if (length < Protocol.SHINGLED_COMMAND) {
            return Parse.MISSING_SHINGLES;
        }
        return length == Protocol.SHINGLED_COMMAND ? become(generation, epoch) : Parse.BAD_LENGTH;
    }

    private Parse extended(Generation generation, ProtocolVersion epoch) {
        if (!accepts(generation)) {
            return Parse.NOT_ACCEPTED;
        }
        int head = bytes[offset + SHINGLES_COUNT] == 0 ? Protocol.COMMAND : Protocol.SHINGLED_COMMAND;
        if (length < head) {
            return Parse.MISSING_SHINGLES;
        }
        if (!Extensions.valid(bytes, offset + head, offset + length)) {
            return Parse.BAD_EXTENSION;
        }
        this.extensions = head;
        if (head < length) {
            readExtensions();
        }
        return become(generation, epoch);
    }

    private void forgetExtensions() {
        sides = ABSENT;
        wideFlag = ABSENT;
        protectors = ABSENT;
        domain = ABSENT;
        senderIp = ABSENT;
        senderFacts = ABSENT;
        ofWeir = false;
        asksCapabilities = false;
    }

    /** Finds the extensions. The last one of a kind counts. */
    private void readExtensions() {
        int end = offset + length;
        for (int at = offset + extensions; at < end; at += Extensions.size(bytes, at, end)) {
            switch (bytes[at] & 0xff) {
                case Extensions.DOMAIN -> domain = at;
                case Extensions.IPV4, Extensions.IPV6 -> senderIp = at;
                case Extensions.SENDER_FACTS -> senderFacts = at;
                case Extensions.WEIR -> readOfWeir(at);
                default -> {
                    // Of a later version.
                }
            }
        }
    }

    private void readOfWeir(int at) {
        ofWeir = true;
        switch (Extensions.kind(bytes, at)) {
            case Extensions.SIDES -> sides = at + 3;
            case Extensions.WIDE_FLAG -> wideFlag = at + 3;
            case Extensions.PROTECTORS -> protectors = at + 2;
            case Extensions.CAPABILITIES -> asksCapabilities = true;
            default -> {
                // Of a later version.
            }
        }
    }

    private Parse become(Generation generation, ProtocolVersion epoch) {
        this.generation = generation;
        this.epoch = epoch;
        return Parse.OK;
    }

    private boolean accepts(Generation generation) {
        return accepted.contains(generation);
    }

    /** Returns the generation of the request. */
    public Generation generation() {
        return generation;
    }

    /** Returns the epoch, under which statistics count the request and which determines the layout of its reply. */
    public ProtocolVersion epoch() {
        return epoch;
    }

    /** Returns the version byte, 0..255; 2 for the text protocol, which has none. */
    public int version() {
        return generationIsText() ? 2 : bytes[offset] & 0xff;
    }

    /**
     * Returns whether bit 7 of the version marks a weak write. A weak write must not replace other flags
     * (docs/reference/protocol.md#versions).
     */
    public boolean weak() {
        return (version() & WEAK_BIT) != 0;
    }

    /** Returns the command code, 0..255, see {@link CommandCode}. */
    public int code() {
        return bytes[generationIsText() ? offset : offset + CODE] & 0xff;
    }

    /** Returns whether the command has 32 shingles. */
    public boolean hasShingles() {
        return !generationIsText() && bytes[offset + SHINGLES_COUNT] != 0;
    }

    /**
     * Returns the count of shingles as the command states it, 0..255. Whatever it says, {@link #shingle} has 32 of them
     * if it is not 0.
     */
    public int statedShingles() {
        return generationIsText() ? 0 : bytes[offset + SHINGLES_COUNT] & 0xff;
    }

    /** Returns the flag, 0..255, or a greater one from the extension for it. */
    public int flag() {
        if (wideFlag != ABSENT) {
            return LittleEndian.getInt(bytes, wideFlag);
        }
        return bytes[offset + (generationIsText() ? TEXT_FLAG : FLAG)] & 0xff;
    }

    /** Returns the weight to add. Commands other than WRITE may contain any number. */
    public int value() {
        return LittleEndian.getInt(bytes, offset + (generationIsText() ? TEXT_VALUE : VALUE));
    }

    /** Returns how many shingles a near hash must share to be the answer to this check. */
    public int askedThreshold() {
        return AskedThreshold.of(value());
    }

    /** Returns the tag to echo, 32 arbitrary bits; 0 for the text protocol. */
    public int tag() {
        return generationIsText() ? 0 : LittleEndian.getInt(bytes, offset + TAG);
    }

    /** Returns the array that contains the request. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the offset of the request in {@link #bytes}. */
    public int offset() {
        return offset;
    }

    /** Returns the length of the request, without ignored bytes. */
    public int length() {
        return length;
    }

    /** Returns the offset of the {@link Protocol#DIGEST} bytes of the digest in {@link #bytes}. */
    public int digestOffset() {
        return offset + (generationIsText() ? TEXT_DIGEST : DIGEST);
    }

    /** Returns eight bytes of the digest as a little-endian number. */
    public long digestWord(int index) {
        return LittleEndian.getLong(bytes, digestOffset() + Objects.checkIndex(index, 8) * Long.BYTES);
    }

    /** Copies the digest. */
    public void copyDigest(byte[] target, int targetOffset) {
        System.arraycopy(bytes, digestOffset(), target, targetOffset, Protocol.DIGEST);
    }

    /**
     * Returns one shingle.
     *
     * @param index 0..31
     * @throws IllegalStateException if the command has no shingles
     */
    public long shingle(int index) {
        if (!hasShingles()) {
            throw new IllegalStateException("the command has no shingles");
        }
        return LittleEndian.getLong(bytes,
                offset + SHINGLES + Objects.checkIndex(index, Protocol.SHINGLES) * Long.BYTES);
    }

    /** Copies the 32 shingles in slot order. */
    public void copyShingles(long[] target, int targetOffset) {
        for (int i = 0; i < Protocol.SHINGLES; i++) {
            target[targetOffset + i] = shingle(i);
        }
    }

    /** Returns whether the request has an extension of Weir, so that the reply may have an addition. */
    public boolean isOfWeir() {
        return ofWeir;
    }

    /** Returns whether the request asks which extensions of Weir the storage knows. */
    public boolean asksCapabilities() {
        return asksCapabilities;
    }

    /** Returns whether the request has side hashes of HTML. */
    public boolean hasSides() {
        return sides != ABSENT;
    }

    /**
     * Returns the hash of the call-to-action domains; 0 if there is none.
     *
     * @throws IllegalStateException if the command has no side hashes
     */
    public long ctaDomains() {
        return side(0);
    }

    /**
     * Returns the hash of all domains; 0 if there is none.
     *
     * @throws IllegalStateException if the command has no side hashes
     */
    public long allDomains() {
        return side(1);
    }

    /**
     * Returns the hash of the features, never 0.
     *
     * @throws IllegalStateException if the command has no side hashes
     */
    public long features() {
        return side(2);
    }

    private long side(int index) {
        if (sides == ABSENT) {
            throw new IllegalStateException("the command has no side hashes");
        }
        return LittleEndian.getLong(bytes, sides + index * Long.BYTES);
    }

    /** Returns the number of flags that protect a template, 0..8. */
    public int protectors() {
        return protectors == ABSENT ? 0 : ((bytes[protectors - 1] & 0xff) - 1) / Integer.BYTES;
    }

    /** Returns one of the flags that protect a template. */
    public int protector(int index) {
        return LittleEndian.getInt(bytes,
                protectors + 1 + Objects.checkIndex(index, protectors()) * Integer.BYTES);
    }

    /** Returns whether the request has the domain of the sender. */
    public boolean hasDomain() {
        return domain != ABSENT;
    }

    /** Returns the offset of the domain of the sender in {@link #bytes}; for a request that {@link #hasDomain}. */
    public int domainOffset() {
        return domain + 2;
    }

    /** Returns the length of the domain of the sender, 0..255; for a request that {@link #hasDomain}. */
    public int domainLength() {
        return bytes[domain + 1] & 0xff;
    }

    /** Returns whether the request has the address of the host that sent the mail. */
    public boolean hasSenderIp() {
        return senderIp != ABSENT;
    }

    /** Returns the first half of the address of the sending host, as in {@link AddressBits}. */
    public long senderHigh() {
        return senderIp == ABSENT || bytes[senderIp] == Extensions.IPV4
                ? 0
                : Long.reverseBytes(LittleEndian.getLong(bytes, senderIp + 1));
    }

    /** Returns the second half of the address of the sending host; 0 if the request has none. */
    public long senderLow() {
        if (senderIp == ABSENT) {
            return 0;
        }
        return bytes[senderIp] == Extensions.IPV4
                ? AddressBits.mapped(Integer.reverseBytes(LittleEndian.getInt(bytes, senderIp + 1)))
                : Long.reverseBytes(LittleEndian.getLong(bytes, senderIp + 1 + Long.BYTES));
    }

    /** Returns whether the request states that DMARC passed for the sender. */
    public boolean statesDmarcPass() {
        if (senderFacts == ABSENT) {
            return false;
        }
        int word = Integer.reverseBytes(LittleEndian.getInt(bytes, senderFacts + 2));
        return word >>> 24 == 0 && Extension.SenderFacts.dmarc(word) == Extension.SenderFacts.DMARC_PASS;
    }

    /** Returns the offset of the extensions in {@link #bytes}. */
    public int extensionsOffset() {
        return offset + extensions;
    }

    /** Returns the length of the extensions; 0 if there are none. */
    public int extensionsLength() {
        return length - extensions;
    }

    /** Returns the extensions, decoded during iteration. Valid as long as the bytes do not change. */
    public Iterable<Extension> extensions() {
        return Extensions.of(bytes, extensionsOffset(), offset + length);
    }

    private boolean generationIsText() {
        return generation == Generation.TEXT;
    }
}
