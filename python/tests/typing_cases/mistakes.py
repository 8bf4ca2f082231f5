"""Mistakes, each of which the type checker finds at its line; the code of the error stands beside it."""

import netloom as nl

fabric = nl.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=2)
nl.fabric.LeafSpine(leafs=2, leaves=2, spines=2, hosts_per_leaf=2)  # expected: call-arg
nl.fabric.LeafSpine(leaves=2, spines=2)  # expected: call-arg
nl.fabric.LeafSpine(leaves="2", spines=2, hosts_per_leaf=2)  # expected: arg-type
nl.fabric.LeafSpine(2, 2, 2)  # expected: call-arg
nl.balance.Ecmp(salt="swich")  # expected: arg-type
nl.balance.Flowlet(gap=5e-5)  # expected: arg-type
nl.Scenario(fabric=fabric, balance="ecpm")  # expected: arg-type
nl.Scenario(fabric="leaf_spine")  # expected: arg-type
nl.Scenario(fabric=fabric, transport=nl.balance.Spray())  # expected: arg-type
nl.Scenario(fabric=fabric, balance=nl.balance.Spray)  # expected: arg-type
nl.Job(phases=[nl.balance.Spray()])  # expected: list-item
nl.Job(phases=nl.phase.Compute("1ms"))  # expected: arg-type
nl.Job(phases=["barier"])  # expected: list-item
nl.fabric.LeafSpin  # expected: attr-defined
fabric.leaves = 3  # expected: misc
