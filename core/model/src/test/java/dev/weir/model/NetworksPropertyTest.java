package dev.weir.model;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

import static org.assertj.core.api.Assertions.assertThat;

class NetworksPropertyTest {
    /** Few distinct bits, so that networks overlap and addresses hit them. */
    private static InetAddress address(SplittableRandom random) {
        return random.nextBoolean()
                ? AddressBits.address(0, AddressBits.mapped(random.nextInt(8) << 29 | random.nextInt(16)))
                : AddressBits.address(random.nextLong(4) << 62, random.nextLong(4) << 62 | random.nextInt(4));
    }

    @Property(seed = "20260301", tries = 500)
    void aPerFamilySetContainsTheAddressesOfItsNetworks(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Network> list = new ArrayList<>();
        for (int i = random.nextInt(12); i > 0; i--) {
            InetAddress base = address(random);
            list.add(Network.of(base, random.nextInt(base.getAddress().length * 8 + 1)));
        }
        Networks set = Networks.perFamily(list);
        for (int i = 0; i < 50; i++) {
            InetAddress address = address(random);
            assertThat(set.contains(AddressBits.high(address), AddressBits.low(address))).as("%s in %s", address, list)
                    .isEqualTo(list.stream().anyMatch(network -> network.contains(address)));
        }
    }

    @Property(seed = "20260302", tries = 200)
    void convertsBitsBackToTheSameAddress(@ForAll long seed) {
        InetAddress address = address(new SplittableRandom(seed));
        assertThat(AddressBits.address(AddressBits.high(address), AddressBits.low(address))).isEqualTo(address);
    }

    /** The two kinds of sets differ only in addresses of the other family. */
    @Property(seed = "20261124", tries = 500)
    void bothKindsOfSetsAgreeWithinAFamily(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        InetAddress base = address(random);
        Network network = new Network(AddressBits.high(base), AddressBits.low(base), random.nextInt(129));
        Networks dualStack = Networks.dualStack(List.of(network));
        Networks perFamily = Networks.perFamily(List.of(network));
        for (int i = 0; i < 50; i++) {
            InetAddress address = address(random);
            boolean sameFamily = network.isV4() == AddressBits.isV4(AddressBits.high(address),
                    AddressBits.low(address));
            boolean expected = sameFamily && dualStack.contains(address);
            assertThat(network.contains(address)).as("%s in %s", address, network).isEqualTo(expected);
            assertThat(perFamily.contains(address)).as("%s in %s", address, network).isEqualTo(expected);
        }
    }

    @Provide
    Arbitrary<List<Network>> networks() {
        // Few bits, so that networks contain and touch each other.
        Arbitrary<Network> six = Combinators.combine(Arbitraries.longs().between(0, 3),
                Arbitraries.longs().between(-4, 4), Arbitraries.integers().between(0, 128)).as(Network::new);
        return six.list().ofMaxSize(12);
    }

    /** Compares the set with the definition of a network: the leading bits are equal. */
    @Property(seed = "20261123", tries = 500)
    void aDualStackSetContainsAddressesThatShareLeadingBits(@ForAll("networks") List<Network> networks)
            throws UnknownHostException {
        Networks set = Networks.dualStack(networks);
        for (long high = -1; high <= 4; high++) {
            for (long low = -6; low <= 6; low++) {
                long[] bits = {high, low};
                boolean expected = networks.stream().anyMatch(network -> agrees(network, bits));
                assertThat(set.contains(address(bits))).isEqualTo(expected);
            }
        }
    }

    private static boolean agrees(Network network, long[] bits) {
        BigInteger mine = number(network.high(), network.low());
        return mine.xor(number(bits[0], bits[1])).shiftRight(128 - network.prefix()).signum() == 0;
    }

    private static BigInteger number(long high, long low) {
        return new BigInteger(Long.toUnsignedString(high)).shiftLeft(64)
                .add(new BigInteger(Long.toUnsignedString(low)));
    }

    private static InetAddress address(long[] bits) throws UnknownHostException {
        byte[] bytes = new byte[16];
        for (int i = 0; i < 16; i++) {
            bytes[i] = (byte) (bits[i / 8] >>> (56 - 8 * (i % 8)));
        }
        return InetAddress.getByAddress(bytes);
    }
}
