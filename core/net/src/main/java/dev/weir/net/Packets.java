package dev.weir.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

import dev.weir.model.AddressBits;
import dev.weir.os.LinuxCalls;

/**
 * A fixed number of datagrams and their addresses in the memory layout of {@code recvmmsg} and {@code sendmmsg} on
 * 64-bit Linux. Each header in an array of headers refers to an address and, through a list of buffers, to the bytes of
 * a datagram. For one thread.
 */
public final class Packets {
    /** Size of an address of any family from {@link #keepAddress}. */
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

    /** Maximum number of packets in a train: the limit of the oldest kernel that supports trains. */
    private static final int MAX_CARS = 64;
    private static final int MAX_TRAIN_BYTES = 65_000;

    /** A control message that contains a short: its length, level and type, the short, and padding (cmsg(3)). */
    private static final int CONTROL_BYTES = 24;
    private static final int CONTROL_USED = 18;
    private static final int CONTROL_LEVEL = 8;
    private static final int CONTROL_TYPE = 12;
    private static final int CONTROL_VALUE = 16;

    private final int capacity;
    private final int maxBytes;
    private final int stride;
    private final long buffers;
    private final long addresses;
    private final long data;
    private final long trains;
    private final long controls;
    private final MemorySegment memory;
    private final MemorySegment trainHeaders;

    /** The first packet of each train, and the end of the last train. */
    private final int[] firstOfTrain;

    /**
     * Creates {@code capacity} packets of up to {@code maxBytes} bytes.
     *
     * @param capacity 1..1024, the maximum number that the system moves with one call
     * @param maxBytes 1..65536
     */
    public Packets(int capacity, int maxBytes) {
        if (capacity < 1 || capacity > 1_024 || maxBytes < 1 || maxBytes > 1 << 16) {
            throw new IllegalArgumentException(capacity + " packets of " + maxBytes + " bytes");
        }
        this.capacity = capacity;
        this.maxBytes = maxBytes;
        // An odd number of lines: with a power of two, the packets would push each other out of the processor's cache.
        this.stride = ((maxBytes + LINE - 1) / LINE | 1) * LINE;
        this.buffers = (long) capacity * HEADER;
        this.addresses = buffers + (long) capacity * BUFFER;
        this.data = (addresses + (long) capacity * ADDRESS_STRIDE + LINE - 1) / LINE * LINE;
        this.trains = data + (long) capacity * stride;
        this.controls = trains + (long) capacity * HEADER;
        // Freed with this object, so it cannot be freed while a system call uses it.
        this.memory = Arena.ofAuto().allocate(controls + (long) capacity * CONTROL_BYTES, LINE);
        this.trainHeaders = memory.asSlice(trains, (long) capacity * HEADER);
        this.firstOfTrain = new int[capacity + 1];
        for (int i = 0; i < capacity; i++) {
            memory.set(ValueLayout.JAVA_LONG, header(i) + NAME, memory.address() + address(i));
            memory.set(ValueLayout.JAVA_LONG, header(i) + BUFFERS, memory.address() + buffer(i));
            memory.set(ValueLayout.JAVA_LONG, header(i) + BUFFER_COUNT, 1);
            memory.set(ValueLayout.JAVA_LONG, buffer(i), memory.address() + data(i));
            memory.set(ValueLayout.JAVA_LONG, train(i) + CONTROL, memory.address() + control(i));
            memory.set(ValueLayout.JAVA_LONG, control(i), CONTROL_USED);
            memory.set(ValueLayout.JAVA_INT, control(i) + CONTROL_LEVEL, LinuxCalls.SOL_UDP);
            memory.set(ValueLayout.JAVA_INT, control(i) + CONTROL_TYPE, LinuxCalls.UDP_SEGMENT);
        }
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

    private long train(int i) {
        return trains + (long) Objects.checkIndex(i, capacity) * HEADER;
    }

    private long control(int i) {
        return controls + (long) i * CONTROL_BYTES;
    }

    /** Returns the number of packets. */
    public int capacity() {
        return capacity;
    }

    // ---- received packets ----

    /** Returns the length of a received packet. */
    public int length(int i) {
        return memory.get(ValueLayout.JAVA_INT, header(i) + LENGTH);
    }

    /** Copies the bytes of a received packet and returns their number. */
    public int copyTo(int i, byte[] target) {
        int length = length(i);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, data(i), target, 0, length);
        return length;
    }

    /** Returns the source address of a packet. Allocates. */
    public InetAddress source(int i) {
        return SocketAddresses.decode(keepAddress(i)).getAddress();
    }

    /** Returns the source port of a packet. */
    public int sourcePort(int i) {
        return SocketAddresses.port(memory, address(i));
    }

    /** Returns the first half of the source address of a packet, as defined by {@link AddressBits}. */
    public long sourceHigh(int i) {
        return SocketAddresses.high(memory, address(i));
    }

    /** Returns the second half of the source address of a packet, as defined by {@link AddressBits}. */
    public long sourceLow(int i) {
        return SocketAddresses.low(memory, address(i));
    }

    /** Copies the address of a packet for {@link #put(int, byte[], int, int, byte[])}. */
    public byte[] keepAddress(int i) {
        byte[] kept = new byte[ADDRESS];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, address(i), kept, 0, ADDRESS);
        return kept;
    }

    // ---- packets to send ----

    /** Fills a packet for a connected socket. */
    public void put(int i, byte[] bytes, int offset, int length) {
        Objects.checkIndex(length - 1, maxBytes);
        MemorySegment.copy(bytes, offset, memory, ValueLayout.JAVA_BYTE, data(i), length);
        memory.set(ValueLayout.JAVA_LONG, buffer(i) + BUFFER_LENGTH, length);
        memory.set(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH, 0);
    }

    /** Fills a packet for the sender of a received packet. */
    public void put(int i, byte[] bytes, int offset, int length, Packets received, int from) {
        put(i, bytes, offset, length);
        MemorySegment.copy(received.memory, received.address(from), memory, address(i), ADDRESS);
        named(i);
    }

    /** Fills a packet for an address from {@link #keepAddress} or {@link #address}. */
    public void put(int i, byte[] bytes, int offset, int length, byte[] address) {
        put(i, bytes, offset, length);
        MemorySegment.copy(address, 0, memory, ValueLayout.JAVA_BYTE, address(i), ADDRESS);
        named(i);
    }

    /**
     * Converts an address to the form that packets store.
     *
     * @throws IllegalArgumentException if the host name is not resolved
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

    /** Prepares the first {@code count} packets for receiving. */
    void makeRoom(int count) {
        for (int i = 0; i < count; i++) {
            memory.set(ValueLayout.JAVA_LONG, buffer(i) + BUFFER_LENGTH, maxBytes);
            memory.set(ValueLayout.JAVA_INT, header(i) + NAME_LENGTH, ADDRESS_STRIDE);
        }
    }

    /**
     * Couples packets to trains. A train is a sequence of packets with one length and one address. It becomes one
     * message, which the system splits into pieces of that length.
     *
     * @return the number of trains among the first {@code packets} packets
     */
    int couple(int packets) {
        int count = 0;
        int next = 0;
        while (next < packets) {
            int first = next++;
            long bytes = outgoing(first);
            int most = (int) Math.min(first + (long) MAX_CARS, first + MAX_TRAIN_BYTES / Math.max(bytes, 1));
            while (next < packets && next < most && outgoing(next) == bytes && isSameAddress(first, next)) {
                next++;
            }
            long train = train(count);
            memory.set(ValueLayout.JAVA_LONG, train + NAME, memory.address() + address(first));
            memory.set(ValueLayout.JAVA_INT, train + NAME_LENGTH,
                    memory.get(ValueLayout.JAVA_INT, header(first) + NAME_LENGTH));
            memory.set(ValueLayout.JAVA_LONG, train + BUFFERS, memory.address() + buffer(first));
            memory.set(ValueLayout.JAVA_LONG, train + BUFFER_COUNT, next - first);
            memory.set(ValueLayout.JAVA_LONG, train + CONTROL_LENGTH, next - first > 1 ? CONTROL_BYTES : 0);
            memory.set(ValueLayout.JAVA_SHORT, control(count) + CONTROL_VALUE, (short) bytes);
            firstOfTrain[count++] = first;
        }
        firstOfTrain[count] = next;
        return count;
    }

    private boolean isSameAddress(int one, int other) {
        int length = memory.get(ValueLayout.JAVA_INT, header(one) + NAME_LENGTH);
        if (length != memory.get(ValueLayout.JAVA_INT, header(other) + NAME_LENGTH)) {
            return false;
        }
        // Four bytes are enough to compare both possible lengths.
        for (int at = 0; at < length; at += Integer.BYTES) {
            if (memory.get(ValueLayout.JAVA_INT, address(one) + at) != memory.get(ValueLayout.JAVA_INT,
                    address(other) + at)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the headers of the trains from {@link #couple}, starting with the given one. */
    MemorySegment trains(int first) {
        return first == 0 ? trainHeaders : trainHeaders.asSlice((long) first * HEADER);
    }

    /** Returns the first packet of a train; for the train after the last, the packet after the last. */
    int firstOf(int train) {
        return firstOfTrain[train];
    }

    MemorySegment bytes(int i) {
        return memory.asSlice(data(i), maxBytes);
    }

    /** Returns the length of a packet to send. */
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
