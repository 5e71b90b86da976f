package dev.weir.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A fixed number of datagrams with their addresses, laid out as {@code recvmmsg} and {@code sendmmsg} want them (their
 * manual pages; 64-bit Linux): an array of headers, each of which points at an address, and through an entry of a list of
 * buffers at its bytes. For one thread.
 */
public final class Packets {
    /** Bytes of an address of any family, as {@link #keepAddress} gives them. */
    public static final int ADDRESS = 28;

    static final int HEADER = 64;
    private static final int NAME = 0;
    private static final int NAME_LENGTH = 8;
    private static final int BUFFERS = 16;
    private static final int BUFFER_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int LENGTH = 56;
    private static final int BUFFER = 16;
    private static final int BUFFER_LENGTH = 8;
    private static final int ADDRESS_STRIDE = 32;
    private static final int LINE = 64;

    /** A control message that holds a short: its length, level and type, the short, and padding (cmsg(3)). */
    private static final int CONTROL_BYTES = 24;
    private static final int CONTROL_USED = 18;

    private final int capacity;
    private final int maxBytes;
    private final int stride;
    private final long buffers;
    private final long addresses;
    private final long data;
    private final long train;
    private final long control;
    private final MemorySegment memory;

    /**
     * Room for {@code capacity} datagrams of up to {@code maxBytes} bytes.
     *
     * @param capacity 1..1024, the most that the system moves at once
     * @param maxBytes 1..65536
     */
    public Packets(int capacity, int maxBytes) {
        if (capacity < 1 || capacity > 1_024 || maxBytes < 1 || maxBytes > 1 << 16) {
            throw new IllegalArgumentException(capacity + " packets of " + maxBytes + " bytes");
        }
        this.capacity = capacity;
        this.maxBytes = maxBytes;
        this.stride = (maxBytes + LINE - 1) / LINE * LINE;
        this.buffers = (long) capacity * HEADER;
        this.addresses = buffers + (long) capacity * BUFFER;
        this.data = (addresses + (long) capacity * ADDRESS_STRIDE + LINE - 1) / LINE * LINE;
        this.train = data + (long) capacity * stride;
        this.control = train + HEADER;
        // Freed with this object: nobody can free it while a call of the system uses it.
        this.memory = Arena.ofAuto().allocate(control + CONTROL_BYTES, LINE);
        for (int i = 0; i < capacity; i++) {
            memory.set(ValueLayout.JAVA_LONG, header(i) + NAME, memory.address() + address(i));
            memory.set(ValueLayout.JAVA_LONG, header(i) + BUFFERS, memory.address() + buffer(i));
            memory.set(ValueLayout.JAVA_LONG, header(i) + BUFFER_COUNT, 1);
            memory.set(ValueLayout.JAVA_LONG, buffer(i), memory.address() + data(i));
        }
        memory.set(ValueLayout.JAVA_LONG, control, CONTROL_USED);
        memory.set(ValueLayout.JAVA_INT, control + 8, LinuxCalls.SOL_UDP);
        memory.set(ValueLayout.JAVA_INT, control + 12, LinuxCalls.UDP_SEGMENT);
        memory.set(ValueLayout.JAVA_LONG, train + CONTROL, memory.address() + control);
        memory.set(ValueLayout.JAVA_LONG, train + CONTROL_LENGTH, CONTROL_BYTES);
    }

    private long header(int i) {
        return (long) Objects.checkIndex(i, capacity) * HEADER;
    }

    private long buffer(int i) {
        return buffers + (long) i * BUFFER;
    }

    private long address(int i) {
        return addresses + (long) Objects.checkIndex(i, capacity) * ADDRESS_STRIDE;
    }

    private long data(int i) {
        return data + (long) Objects.checkIndex(i, capacity) * stride;
    }

    /** How many packets there are. */
    public int capacity() {
        return capacity;
    }

    /** The longest packet. */
    public int maxBytes() {
        return maxBytes;
    }

    // ---- what was received ----

    /** Bytes of a packet that was received. */
    public int length(int i) {
        return memory.get(ValueLayout.JAVA_INT, header(i) + LENGTH);
    }

    /** Copies the bytes of a packet that was received and returns how many those are. */
    public int copyTo(int i, byte[] target) {
        int length = length(i);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, data(i), target, 0, length);
        return length;
    }

    /** The address that a packet came from. Allocates. */
    public InetAddress source(int i) {
        return SocketAddresses.decode(keepAddress(i)).getAddress();
    }

    /** The port that a packet came from. */
    public int sourcePort(int i) {
        return SocketAddresses.port(memory, address(i));
    }

    /** The first half of the address that a packet came from, as {@link AddressBits} has it. */
    public long sourceHigh(int i) {
        return SocketAddresses.high(memory, address(i));
    }

    /** The second half of the address that a packet came from, as {@link AddressBits} has it. */
    public long sourceLow(int i) {
        return SocketAddresses.low(memory, address(i));
    }

    /** A copy of the address of a packet, for {@link #put(int, byte[], int, int, byte[])}. */
    public byte[] keepAddress(int i) {
        byte[] kept = new byte[ADDRESS];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, address(i), kept, 0, ADDRESS);
        return kept;
    }

    // ---- what is to be sent ----

    /** Fills a packet that a connected socket will send. */
    public void put(int i, byte[] bytes, int offset, int length) {
        Objects.checkIndex(length - 1, maxBytes);
        MemorySegment.copy(bytes, offset, memory, ValueLayout.JAVA_BYTE, data(i), length);
        memory.set(ValueLayout.JAVA_LONG, buffer(i) + BUFFER_LENGTH, length);
        memory.set(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH, 0);
    }

    /** Fills a packet that goes to where one that was received came from. */
    public void put(int i, byte[] bytes, int offset, int length, Packets received, int from) {
        put(i, bytes, offset, length);
        MemorySegment.copy(received.memory, received.address(from), memory, address(i), ADDRESS);
        named(i);
    }

    /** Fills a packet that goes to an address that {@link #keepAddress} or {@link #address} gave. */
    public void put(int i, byte[] bytes, int offset, int length, byte[] address) {
        put(i, bytes, offset, length);
        MemorySegment.copy(address, 0, memory, ValueLayout.JAVA_BYTE, address(i), ADDRESS);
        named(i);
    }

    /**
     * The form in which packets keep an address.
     *
     * @throws IllegalArgumentException if the name of its host was not resolved
     */
    public static byte[] address(InetSocketAddress address) {
        return SocketAddresses.encode(address);
    }

    private void named(int i) {
        memory.set(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH, SocketAddresses.length(memory, address(i)));
    }

    // ---- for the sockets ----

    MemorySegment memory() {
        return memory;
    }

    /** Makes the first {@code count} packets take whatever comes. */
    void makeRoom(int count) {
        for (int i = 0; i < count; i++) {
            memory.set(ValueLayout.JAVA_LONG, buffer(i) + BUFFER_LENGTH, maxBytes);
            memory.set(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH, ADDRESS_STRIDE);
        }
    }

    /**
     * The header of one message made of the bytes of {@code count} packets from {@code first} on, which the system is told
     * to cut into pieces of {@code bytes} bytes.
     */
    MemorySegment train(int first, int count, int bytes) {
        memory.set(ValueLayout.JAVA_LONG, train + BUFFERS, memory.address() + buffer(first));
        memory.set(ValueLayout.JAVA_LONG, train + BUFFER_COUNT, count);
        memory.set(ValueLayout.JAVA_SHORT, control + 16, (short) bytes);
        return memory.asSlice(train, HEADER);
    }

    MemorySegment bytes(int i) {
        return memory.asSlice(data(i), maxBytes);
    }

    /** The length of a packet that is to be sent. */
    int outgoing(int i) {
        return (int) memory.get(ValueLayout.JAVA_LONG, buffer(i) + BUFFER_LENGTH);
    }

    boolean hasAddress(int i) {
        return memory.get(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH) != 0;
    }

    void received(int i, int length, byte[] address) {
        memory.set(ValueLayout.JAVA_INT, header(i) + LENGTH, length);
        MemorySegment.copy(address, 0, memory, ValueLayout.JAVA_BYTE, address(i), ADDRESS);
    }
}
