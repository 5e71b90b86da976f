package dev.weir.storage.access;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import dev.weir.net.AddressBits;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import static org.assertj.core.api.Assertions.assertThat;

class NetworksPropertyTest {
    /** Few distinct bits, so that networks overlap and addresses hit them. */
    private static InetAddress address(SplittableRandom random) {
        return random.nextBoolean()
                ? AddressBits.address(0, AddressBits.mapped(random.nextInt(8) << 29 | random.nextInt(16)))
                : AddressBits.address(random.nextLong(4) << 62, random.nextLong(4) << 62 | random.nextInt(4));
    }

    @Property(seed = "20260301", tries = 500)
    void aSetHoldsWhatOneOfItsNetworksHolds(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Network> list = new ArrayList<>();
        for (int i = random.nextInt(12); i > 0; i--) {
            InetAddress base = address(random);
            list.add(new Network(base, random.nextInt(base.getAddress().length * 8 + 1)));
        }
        Networks set = Networks.of(list);
        for (int i = 0; i < 50; i++) {
            InetAddress address = address(random);
            assertThat(set.contains(AddressBits.high(address), AddressBits.low(address))).as("%s in %s", address, list)
                    .isEqualTo(list.stream().anyMatch(network -> network.contains(address)));
        }
    }

    @Property(seed = "20260302", tries = 200)
    void addressesComeBackOutOfTheirBits(@ForAll long seed) {
        InetAddress address = address(new SplittableRandom(seed));
        assertThat(AddressBits.address(AddressBits.high(address), AddressBits.low(address))).isEqualTo(address);
    }

    /** The lists of the configuration know one family, those of the storage two; within a family they agree. */
    @Property(seed = "20261124", tries = 500)
    void aNetworkOfTheConfigurationHoldsTheSameHere(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        InetAddress base = address(random);
        dev.weir.config.map.Network configured = new dev.weir.config.map.Network(AddressBits.high(base),
                AddressBits.low(base), random.nextInt(129));
        Network here = Network.of(configured);
        for (int i = 0; i < 50; i++) {
            InetAddress address = address(random);
            boolean sameFamily = here.isV4() == AddressBits.isV4(AddressBits.high(address), AddressBits.low(address));
            assertThat(here.contains(address)).as("%s in %s", address, configured).isEqualTo(
                    sameFamily && dev.weir.config.map.Networks.of(List.of(configured)).contains(address));
        }
    }
}
