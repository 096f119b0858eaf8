"""The continuous worlds: against Gymnasium's where the equations are the same, and against closed forms."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from treatise.rl import Acrobot, Bicycle, CartPole, MountainCar, PlanarArm, SwingUp, as_gymnasium

WORLDS = [MountainCar, Acrobot, CartPole, PlanarArm, SwingUp, Bicycle]


def set_out_from(world, state):
    world.reset(np.random.default_rng(0))
    world._state = np.array(state, dtype=np.float64)
    return world


@pytest.mark.parametrize("seed", range(20))
def test_the_car_moves_as_gymnasium_s(seed):
    rng = np.random.default_rng(seed)
    state = rng.uniform([-1.2, -0.07], [0.5, 0.07])
    theirs = gymnasium.make("MountainCar-v0").unwrapped
    theirs.reset(seed=0)
    theirs.state = state
    ours = set_out_from(MountainCar(), state)
    for push in rng.integers(0, 2, 30):
        expected, reward, ended, *_ = theirs.step(2 * push)
        found = ours.step(push)
        np.testing.assert_allclose(found[0], expected, rtol=1e-6, atol=1e-7)  # Gymnasium shows single precision
        assert found[1] == reward and found[2] == ended
        if ended:
            break


def test_the_car_loses_its_speed_at_the_wall():
    state, *_ = set_out_from(MountainCar(), [-1.19, -0.06]).step(0)
    np.testing.assert_array_equal(state, [-1.2, 0.0])


@pytest.mark.parametrize("seed", range(10))
def test_the_acrobot_moves_as_gymnasium_s(seed):
    rng = np.random.default_rng(seed)
    state = rng.uniform(-1.0, 1.0, 4) * [3.0, 3.0, 4.0, 9.0]
    theirs = gymnasium.make("Acrobot-v1").unwrapped
    theirs.reset(seed=0)
    theirs.state = state
    ours = set_out_from(Acrobot(), state)
    for torque in rng.integers(0, 3, 20):
        _, _, ended, *_ = theirs.step(torque)
        found, reward, done = ours.step(torque)
        # Angles are compared as points on the circle: at pi the two may take different sides.
        turned = found[:2] - theirs.state[:2]
        np.testing.assert_allclose(np.cos(turned), 1.0, atol=1e-12)
        np.testing.assert_allclose(found[2:], theirs.state[2:], rtol=1e-9, atol=1e-9)
        assert done == ended and reward == -1.0
        theirs.state = found


@pytest.mark.parametrize("seed", range(10))
def test_the_cart_moves_as_gymnasium_s(seed):
    rng = np.random.default_rng(seed)
    state = rng.uniform(-0.15, 0.15, 4)
    theirs = gymnasium.make("CartPole-v1").unwrapped
    theirs.reset(seed=0)
    theirs.state = tuple(state)
    ours = set_out_from(CartPole(), state)
    for push in rng.integers(0, 2, 15):
        theirs.step(push)
        found, *_ = ours.step([2.0 * push - 1.0])
        np.testing.assert_allclose(found, theirs.state, rtol=1e-10, atol=1e-12)


def test_holding_the_pole_to_the_end_earns_the_prize_and_dropping_it_nothing():
    cart = set_out_from(CartPole(max_steps=2), [0.0] * 4)
    assert cart.step([0.0])[1:] == (1.0, False)
    assert cart.step([0.0])[1:] == (1001.0, True)
    assert set_out_from(CartPole(), [0.0, 0.0, 0.78, 3.0]).step([0.0])[1:] == (0.0, True)
    assert set_out_from(CartPole(), [4.0, 3.0, 0.0, 0.0]).step([0.0])[1:] == (0.0, True)
    # Half of each limit costs an eighth.
    assert set_out_from(CartPole(), [2.0, 0.0, np.pi / 8, 0.0]).step([0.0])[1] == pytest.approx(0.75)


@pytest.mark.parametrize("seed", range(10))
def test_the_pendulum_moves_and_costs_as_gymnasium_s(seed):
    rng = np.random.default_rng(seed)
    state = rng.uniform([-np.pi, -8.0], [np.pi, 8.0])
    theirs = gymnasium.make("Pendulum-v1").unwrapped
    theirs.reset(seed=0)
    theirs.state = state
    ours = set_out_from(SwingUp(), state)
    for torque in rng.uniform(-3.0, 3.0, 30):
        _, reward, *_ = theirs.step(np.array([torque]))
        found, cost, done = ours.step([torque])
        np.testing.assert_allclose(found, theirs.state, rtol=1e-10, atol=1e-10)
        assert cost == pytest.approx(reward, rel=1e-9) and not done


def test_the_arm_turns_its_joints_and_its_tip_follows():
    arm = PlanarArm()
    arm.reset(np.random.default_rng(0))
    state, reward, done = arm.step(5)  # up, down, up
    np.testing.assert_allclose(state[:3], [0.1, -0.1, 0.1])
    tip = sum(np.exp(1j * angle) for angle in np.cumsum([0.1, -0.1, 0.1]))
    np.testing.assert_allclose(state[3:], [tip.real, tip.imag])
    assert reward == pytest.approx(-abs(tip - complex(*arm.TARGET))) and not done
    # A target angle of 90 degrees for the last two links puts the tip at (1, 2), one step from the goal at best.
    near = set_out_from(arm, [1.0, 0.6, 1.2, 0.0, 0.0])
    state, reward, done = near.step(7)
    far = np.hypot(state[3] - 0.5, state[4] - 1.5)
    assert done == (far <= 0.3) and reward == pytest.approx((10.0 if done else 0.0) - far)


def test_a_bicycle_that_drives_straight_falls_as_a_pendulum_on_its_head():
    bike = set_out_from(Bicycle(), [0.05, 0.0, 0.0, 0.0, 0.0, 0.0, 1.11, 0.0, 0.0])
    bike.constants = bike.constants * [1.0, 1.0, 1.0, 0.0]  # a rider without noise
    state, reward, done = bike.step(4)
    inertia = 13.0 / 3.0 * 15.0 * 0.94**2 + 60.0 * 1.24**2
    assert state[1] == pytest.approx(0.01 * 75.0 * 0.94 * 9.82 * np.sin(0.05) / inertia, rel=1e-12)
    assert state[0] == 0.05 and reward == 0.0 and not done
    np.testing.assert_allclose(state[5:], [0.0, 1.11 + 0.1 / 3.6, 0.0, 0.1 / 3.6], atol=1e-12)
    assert state[3] == 0.0


def test_turned_handlebars_raise_a_bicycle_that_leans_their_way():
    accelerations = {}
    for bar in (-0.2, 0.0, 0.2):
        bike = set_out_from(Bicycle(), [0.05, 0.0, bar, 0.0, 0.0, 0.0, 1.11, 0.0, 0.0])
        bike.constants = bike.constants * [1.0, 1.0, 1.0, 0.0]
        accelerations[bar] = bike.step(4)[0][1] / 0.01
    # Centrifugal force by hand: v^2 (M_d r (1/r_f + 1/r_b) + M h / r_CM), over the moment of inertia.
    v, r, length, inertia = 10.0 / 3.6, 0.34, 1.11, 13.0 / 3.0 * 15.0 * 0.94**2 + 60.0 * 1.24**2
    front, rear = length / np.sin(0.2), length / np.tan(0.2)
    middle = np.sqrt((length - 0.66) ** 2 + rear**2)
    force = v**2 * (1.7 * r / front + 1.7 * r / rear + 75.0 * 0.94 / middle) * np.cos(0.05) / inertia
    assert accelerations[0.0] - accelerations[0.2] == pytest.approx(force, rel=1e-9)
    assert accelerations[-0.2] - accelerations[0.0] == pytest.approx(force, rel=1e-9)


def test_a_bicycle_falls_at_a_fifteenth_of_pi_and_keeps_its_length():
    bike = set_out_from(Bicycle(), [np.pi / 15 - 1e-4, 0.5, 0.3, 0.0, 0.0, 0.0, 1.11, 0.0, 0.0])
    state, reward, done = bike.step(1)
    assert done and reward == pytest.approx(-10.0 - 0.005**2)
    assert np.hypot(*(state[5:7] - state[7:9])) == pytest.approx(1.11)
    turned = set_out_from(Bicycle(), [0.0, 0.0, 1.39, 5.0, 0.0, 0.0, 1.11, 0.0, 0.0]).step(4)[0]
    assert turned[2] == 1.3963 and turned[3] == 0.0


@pytest.mark.parametrize("make", WORLDS)
def test_every_world_is_one_of_gymnasium_s_too(make):
    check_env(as_gymnasium(make()), skip_render_check=True)


@pytest.mark.parametrize("make", WORLDS)
def test_one_seed_gives_one_episode_and_states_are_not_shared(make):
    def run():
        world, rng = make(), np.random.default_rng(3)
        states = [world.reset(rng)]
        for t in range(5):
            action = t % 2 if world.n_actions else np.full(world.action_size, 0.3)
            states.append(world.step(action)[0])
        return np.array(states)

    np.testing.assert_array_equal(run(), run())
    world = make()
    first = world.reset(np.random.default_rng(0))
    first += 100.0
    assert np.abs(world.step(0 if world.n_actions else np.zeros(world.action_size))[0]).max() < 50.0


def test_an_action_that_does_not_exist_is_refused():
    car = MountainCar()
    car.reset(np.random.default_rng(0))
    with pytest.raises(ValueError, match="action 2 does not exist; there are 2"):
        car.step(2)
